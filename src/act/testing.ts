import assert from "node:assert/strict";
import { decide } from "../decide/decide.ts";
import {
  empty,
  type Facts,
  type Holding,
  type Lineage,
  no_word,
  type Peer,
  type Tag,
  type Word,
} from "../decide/facts.ts";
import {
  type Bmc,
  done,
  type Effects,
  failed,
  type Hindrance,
  type LogFacts,
  type Loss,
  type Member,
  type State,
  success,
} from "./effects.ts";
import { logOf, pick } from "./testing-holding.ts";
import { times_default } from "./times.ts";

/** One machine, `a`, with a peer `b` that does little by itself. What must never happen is asserted where it would. */
export class FakeWorld {
  state: State = pick(empty);
  log: LogFacts & { committed: boolean } = { ...logOf(empty), committed: false };
  etcd = {
    running: false,
    failedStarts: 0,
    masked: false,
    flag: false,
    forced: 0,
    hindered: undefined as Hindrance | undefined,
    closed: false,
    orderly: false,
  };
  /** Of the data, and of what was made beside it: for which epoch revisions were raised, and how often in all. */
  bump = { tool: true, raisedFor: 0, times: 0, staged: undefined as number | undefined, between: false };
  /** Called at moments in which a real machine may be cut off inside an effect; true: it is. */
  cutIn: (moment: "swap") => boolean = () => false;
  ring = "1";
  word: Word = no_word;
  tags: Record<Bmc, Lineage | undefined> = { mine: undefined, theirs: undefined };
  /** BMCs that answer nothing. */
  readonly dead = new Set<Bmc>();
  peer = { on: true, member: true, serving: false, leaving: false, etcd: true, holding: empty };
  /** In this boot. */
  boot = { heard: true, proven: false, quorum: true, listedVoter: false, marked: false };
  learner_tries = 0;
  ghost = false;
  kept = 0;
  readonly said: string[] = [];

  /** A power cut, or only the end of the process that ran the steps. */
  crash(kind: "process" | "power"): void {
    if (kind === "process") return;
    this.etcd = { ...this.etcd, running: false, flag: false, closed: false, orderly: false };
    this.boot = {
      heard: this.peer.member,
      proven: false,
      quorum: this.peer.member,
      listedVoter: false,
      marked: false,
    };
  }

  get holding(): Holding {
    const { committed: _, ...log } = this.log;
    return { ...log, ...this.state, echo: "" };
  }

  get alone(): boolean {
    return this.log.soleVoter;
  }

  get leader(): boolean {
    if (!this.etcd.running) return false;
    return (
      this.alone ||
      (this.peer.member && this.peer.etcd && this.state.lineage?.epoch === this.peer.holding.lineage?.epoch)
    );
  }

  facts(): Facts {
    const { peer } = this;
    const seen: Peer = peer.member
      ? {
          seen: "now",
          facts: peer.holding,
          serving: peer.serving,
          running: peer.etcd,
          stuck: false,
          leaving: peer.leaving,
        }
      : this.boot.heard
        ? { seen: "before", facts: peer.holding }
        : { seen: "never" };
    const tag = (bmc: Bmc) => {
      return this.dead.has(bmc) ? ({ kind: "unreadable" } as const) : tagOf(this.tags[bmc]);
    };
    return {
      me: "a",
      peerName: "b",
      self: this.holding,
      peer: seen,
      peerPower: this.dead.has("theirs") ? "unreadable" : peer.on ? "on" : "off",
      proof: this.boot.proven && !peer.member ? "off" : "none",
      fencePending: true,
      started: true,
      word: this.word,
      tags: { mine: tag("mine"), theirs: tag("theirs") },
      witness: "on",
      firstStart: false,
      etcd: {
        running: this.etcd.running && !this.etcd.closed,
        leader: this.leader && !this.etcd.closed,
        failedStarts: this.etcd.failedStarts,
      },
      stopping: "shutdown",
    };
  }

  readonly effects: Effects = {
    facts: async () => this.facts(),
    own: async () => this.facts(),
    site: { me: "a", witness: "on" },
    areTagsWritten: async () => true,
    boot: "a-1",
    decide,
    pause: async () => {},
    disk: {
      readState: async () => success(this.state),
      setStateAside: async () => done,
      isNew: async () => success(false),
      writeState: async (next) => {
        this.#checkState(next);
        this.state = next;
        return done;
      },
      logEnd: async () => success(undefined),
      inspect: async () => (this.etcd.running ? failed("refused", "etcd runs") : success(this.log)),
      moveAside: async () => {
        assert.ok(this.peer.serving, "data is moved aside before the peer serves");
        assert.ok(!this.etcd.running && !this.state.full);
        if (this.log.data) this.kept++;
        this.log = { ...logOf(empty), committed: false };
        this.bump = { ...this.bump, raisedFor: 0, staged: undefined, between: false };
        return done;
      },
      bumpOf: async (epoch) => {
        this.#finishSwap();
        if (this.bump.raisedFor === epoch) return success("done");
        return success(this.bump.tool ? "possible" : "impossible");
      },
      stageBump: async (epoch) => {
        assert.ok(!this.etcd.running && !this.etcd.flag, "the database is read while etcd runs");
        assert.ok(this.alone, "revisions are raised of data that knows the peer");
        if (!this.etcd.orderly) return failed("changed", "the database is behind the log");
        this.bump = { ...this.bump, staged: epoch };
        return done;
      },
      swapBump: async () => {
        assert.ok(!this.etcd.running && this.bump.staged !== undefined);
        this.kept++;
        this.bump = { ...this.bump, between: true };
        if (this.cutIn("swap")) return failed("failed", "the disk hangs");
        this.#finishSwap();
        return done;
      },
      syncLog: async () => done,
      keepWal: async () => done,
      commitLog: async () => {
        assert.equal(this.state.takeover?.step, "served", "the log is committed before `served` is on disk");
        assert.ok(!this.etcd.running);
        this.log = { ...this.log, committed: true };
        return done;
      },
    },
    unit: {
      isRunning: async () => success(this.etcd.running && !this.etcd.closed),
      start: async (how) => {
        if (this.etcd.masked) return failed("refused", "the unit is masked");
        if (this.etcd.running)
          return this.etcd.closed === (how === "closed") ? done : failed("deadline", "shut");
        assert.ok(!this.bump.between, "etcd is started where there is no data");
        assert.ok(
          how === "closed" || this.state.bump !== "owed",
          "clients are served with revisions that went back",
        );
        if (how !== "with its data" && how !== "closed")
          this.log = {
            ...this.log,
            data: true,
            standing: how === "first" ? "voter" : "learner",
            soleVoter: how === "first",
          };
        if (this.etcd.flag) this.#force();
        assert.ok(this.state.surrendered === undefined, "data that was given up is started");
        this.etcd = { ...this.etcd, running: true, closed: how === "closed", orderly: false };
        return done;
      },
      stop: async () => {
        const removing = this.state.left && this.log.standing === "removed";
        assert.ok(!removing || this.peer.holding.soleVoter, "stopped before the peer was the only voter");
        this.etcd = {
          ...this.etcd,
          orderly: this.etcd.running || this.etcd.orderly,
          running: false,
          closed: false,
        };
        return done;
      },
      end: async () => {
        this.etcd = {
          ...this.etcd,
          orderly: !this.etcd.running && this.etcd.orderly,
          running: false,
          closed: false,
        };
        return done;
      },
      setForceFlag: async () => {
        this.etcd = { ...this.etcd, flag: true };
        return done;
      },
      dropForceFlag: async () => {
        this.etcd = { ...this.etcd, flag: false };
        return done;
      },
      callForFence: async (because) => {
        this.etcd = { ...this.etcd, hindered: because };
        return done;
      },
      setMasked: async (masked) => {
        this.etcd = { ...this.etcd, masked };
        return done;
      },
    },
    members: {
      list: async (at) => {
        if (at === "peer" ? !this.peer.member : !this.leader || this.etcd.closed !== (at === "inside"))
          return failed("unreachable", "no leader");
        const members = this.#membersAt(at === "peer" ? "peer" : "self");
        this.boot.listedVoter ||= members.some(({ machine, role }) => machine === "self" && role === "voter");
        return success(members);
      },
      addLearner: async () => {
        assert.ok(!this.etcd.flag, "a member is added while the force flag is there");
        return done;
      },
      promote: async () => {
        if (this.learner_tries-- > 0 || !this.leader) return failed("refused", "the learner is behind");
        this.log = { ...this.log, standing: "voter" };
        this.peer.holding = { ...this.peer.holding, soleVoter: false };
        this.boot.listedVoter = true;
        return done;
      },
      remove: async (id, through) => {
        if (through !== "peer") this.ghost = false;
        else {
          assert.equal(id, "1");
          assert.ok(this.peer.holding.full && !this.peer.leaving, "left though the peer may not serve");
          this.log = { ...this.log, standing: "removed", removalInLog: true };
          this.peer.holding = { ...this.peer.holding, soleVoter: true };
          this.peer.serving = true;
        }
        return done;
      },
      elect: async (at) => {
        assert.ok(this.etcd.running && this.etcd.closed === (at === "inside"), "nobody to elect");
        const { soleVoter, others } = this.log;
        assert.ok(soleVoter && others === "", "an election is begun that another one may have a vote in");
        return done;
      },
      moveLeader: async () => done,
      writeMarker: async () => {
        this.boot.marked ||= this.boot.listedVoter;
        return done;
      },
    },
    attributes: {
      publish: async ({ leaving, holding }) => {
        this.said.push(!leaving ? "tells" : holding.left ? "has left" : "leaves");
        return this.peer.member || !leaving ? done : failed("unreachable", "nobody there");
      },
      readPeer: async () => success(undefined),
      readOwn: async () => success(undefined),
      score: async () => done,
    },
    bmc: {
      peerPower: async () =>
        this.dead.has("theirs") ? failed("deadline", "no answer") : success(this.peer.on ? "on" : "off"),
      offWays: [["BMC"]],
      commandOff: async () => {
        this.peer = { ...this.peer, on: false, member: false };
        return done;
      },
      commandOn: async () => {
        assert.ok(
          this.leader && this.alone && !this.etcd.flag,
          "the peer is powered on before this machine serves",
        );
        assert.equal(this.state.takeover, undefined);
        this.peer = { ...this.peer, on: true };
        return done;
      },
      raiseTag: async (bmc, lineage, _, may) => {
        if (this.dead.has(bmc)) return failed("deadline", "no answer");
        const was = this.tags[bmc];
        const isOwn = was?.epoch === lineage.epoch && was.owner === lineage.owner;
        if (!isOwn && may?.(tagOf(was)) === false) return success("higher");
        if (
          was !== undefined &&
          (was.epoch > lineage.epoch || (was.epoch === lineage.epoch && was.owner !== lineage.owner))
        )
          return success("higher");
        this.tags = { ...this.tags, [bmc]: lineage };
        return success("written");
      },
    },
    quorum: {
      loss: async () => success(this.peer.member ? undefined : lossOf(this)),
      noteOff: async () => {
        assert.ok(!this.peer.on, "Off is noted of a peer that is on");
        this.boot.proven = true;
        return done;
      },
      noteDoubt: async () => done,
      grant: async () => {
        this.boot.quorum = true;
        return done;
      },
      status: async () => success(this.boot.quorum),
    },
  };

  #finishSwap(): void {
    const { between, staged = 0, times } = this.bump;
    if (between)
      this.bump = { ...this.bump, raisedFor: staged, staged: undefined, between: false, times: times + 1 };
  }

  #force(): void {
    assert.equal(this.state.takeover?.step, "served", "forced before `served` is on disk");
    assert.ok(this.log.committed, "forced before the log was committed");
    assert.ok(!this.alone, "forced twice");
    this.log = { ...this.log, soleVoter: true, others: "" };
    this.etcd = { ...this.etcd, forced: this.etcd.forced + 1 };
  }

  #checkState(next: State): void {
    const { lineage, takeover, full, surrendered } = next;
    if (takeover?.step === "served" && this.state.takeover?.step !== "served") {
      const tagged = Object.values(this.tags).some(
        (tag) => tag?.epoch === lineage?.epoch && tag?.owner === "a",
      );
      assert.ok(tagged, "`served` is on disk before any tag");
      assert.ok(!this.peer.on || this.peer.holding.surrendered !== undefined, "served beside a living peer");
      assert.equal(this.state.takeover?.step, "intent");
    }
    if (full && !this.state.full && lineage !== undefined)
      assert.ok(this.boot.marked || this.alone, "full before the marker came back");
    if (surrendered !== undefined && this.state.surrendered === undefined)
      assert.ok(!this.etcd.running && this.etcd.masked, "given up while etcd may run");
  }

  #membersAt(at: "self" | "peer"): readonly Member[] {
    const self: Member = {
      id: "1",
      role: this.log.standing === "voter" ? "voter" : "learner",
      machine: "self",
      leader: true,
    };
    const peer: Member = { id: "2", role: "voter", machine: "peer", leader: false };
    if (at === "peer")
      return this.log.standing === "voter" || this.log.standing === "learner" ? [self, peer] : [peer];
    if (!this.alone) return [self, peer];
    return this.ghost ? [self, { id: "9", role: "learner", machine: undefined, leader: false }] : [self];
  }
}

export { logOf, pick } from "./testing-holding.ts";
export const fast = { ...times_default, tries_max: 5, promotion_tries_max: 5 };

const tagOf = (found: Lineage | undefined): Tag =>
  found === undefined ? { kind: "blank" } : { kind: "lineage", ...found };

const lossOf = ({ ring, boot: { proven } }: FakeWorld): Loss => ({
  ring,
  since_ms: 0,
  wentOff: false,
  proven,
});
