import { Forwards } from "./forward.ts";
import { propose, snapshotReported } from "./leader.ts";
import type { Member } from "./member.ts";
import type { ReadState } from "./raft.ts";
import { step } from "./step.ts";
import { type ConfChange, messageOf, none, type Proposal, proposalOf } from "./types.ts";

/** `sure`: it did not and will not happen. Otherwise nobody can tell. */
export type Answer =
  | { readonly ok: true; readonly revision: number; readonly term: number }
  | { readonly ok: false; readonly why: string; readonly sure: boolean };
export type Reply = (answer: Answer) => void;

interface Waiter {
  readonly reply: Reply;
  readonly end_us: number;
}

const unsure = (why: string): Answer => ({ ok: false, why, sure: false });
const refused = (why: string): Answer => ({ ok: false, why, sure: true });

/** What clients and administrators ask of a member. Answers come by a call, in the event that brings them. */
export class Requests {
  readonly #member: Member;
  readonly #waiters = new Map<number, Waiter>();
  readonly #forwards: Forwards;
  /** No leader is known: etcd lets proposals wait for one. */
  #parked: Proposal[] = [];
  #asking: Reply[] = [];
  #round:
    | {
        readonly context: number;
        readonly replies: readonly Reply[];
        readonly end_us: number;
        retry_us: number;
      }
    | undefined;
  #confirmed: { readonly index: number; readonly replies: readonly Reply[] }[] = [];
  #moves: { readonly to: number; readonly reply: Reply; readonly end_us: number }[] = [];

  constructor(member: Member) {
    this.#member = member;
    this.#forwards = new Forwards(member);
  }

  put(key: number, value: number, reply: Reply): void {
    if (!this.#open(reply)) return;
    this.#propose(proposalOf("put", this.#register(reply), value, key));
  }

  /**
   * A linearizable point: when the reply comes with ok, what the member has applied is at least what was acknowledged when this
   * was called. One round confirms all that asked before it began.
   */
  read(reply: Reply): void {
    if (!this.#open(reply)) return;
    this.#asking.push(reply);
    this.#beginRound();
  }

  publish(): void {
    const { id, env } = this.#member;
    this.#propose(
      proposalOf(
        "publish",
        this.#register((answer) => {
          // As etcd does: again, until it is known. etcd asks at once; a leader that hands over may refuse all of a tick's.
          if (!answer.ok) this.#member.when(env.times.tick_us, () => this.publish());
        }),
        id,
      ),
    );
  }

  addLearner(member: number, machine: number, reply: Reply): void {
    const { applier } = this.#member;
    if (!applier.membership.voters.every((id) => this.#healthy(id))) reply(refused("unhealthy cluster"));
    else this.#change({ kind: "add learner", member, machine }, reply);
  }

  /** Only the leader knows how far the learner is; another member passes the question on, until `end_us`. */
  promote(member: number, reply: Reply, end_us = this.#end_us()): void {
    const { raft } = this.#member;
    if (raft.role !== "leader") {
      if (this.#open(reply)) this.#forwards.promote(member, reply, end_us);
      return;
    }
    const progress = raft.progressOf(member);
    const own = raft.progressOf(raft.id)?.match ?? 0;
    if (progress === undefined) reply(refused("member not found"));
    else if (progress.match < own * 0.9) reply(refused("learner not ready"));
    else this.#change({ kind: "promote", member, machine: 0 }, reply);
  }

  /** "Last voter" and "enough connected" are looked at here, before it is proposed, and never again. */
  remove(member: number, reply: Reply): void {
    const { applier } = this.#member;
    const { voters, started } = applier.membership;
    if (voters.includes(member)) {
      const left = voters.filter((id) => id !== member);
      if (left.filter((id) => started.includes(id)).length < Math.floor(left.length / 2) + 1) {
        reply(refused("not enough started members"));
        return;
      }
      const gone = member !== this.#member.id && this.#member.connectedSince(member) === undefined;
      const connected = voters.filter((id) => this.#healthy(id)).length;
      if (!gone && connected - 1 < 1 + Math.floor((voters.length - 1) / 2)) {
        reply(refused("unhealthy cluster"));
        return;
      }
    }
    this.#change({ kind: "remove", member, machine: 0 }, reply);
  }

  moveLeader(to: number, reply: Reply): void {
    const { raft, applier } = this.#member;
    if (!this.#open(reply)) return;
    if (raft.role !== "leader") reply(refused("not leader"));
    else if (!applier.membership.voters.includes(to)) reply(refused("bad leader transferee"));
    else {
      this.#moves.push({ to, reply, end_us: this.#end_us() });
      this.#member.guarded(() => step(raft, messageOf("transfer", to, raft.id, 0)));
    }
  }

  #healthy(id: number): boolean {
    const { env } = this.#member;
    if (id === this.#member.id) return true;
    const since_us = this.#member.connectedSince(id);
    return since_us !== undefined && env.kernel.now_us - since_us >= env.times.health_us;
  }

  #change(change: ConfChange, reply: Reply): void {
    if (this.#open(reply)) this.#propose(proposalOf("conf", this.#register(reply), 0, 0, change));
  }

  #open(reply: Reply): boolean {
    const { running, isLearner } = this.#member;
    if (running && !isLearner) return true;
    reply(refused(running ? "rpc not supported for learner" : "not running"));
    return false;
  }

  #register(reply: Reply): number {
    const { env } = this.#member;
    const request = env.kernel.fresh();
    this.#waiters.set(request, { reply, end_us: this.#end_us() });
    return request;
  }

  #end_us(): number {
    const { env } = this.#member;
    return env.kernel.now_us + env.times.request_us;
  }

  #propose(proposal: Proposal): void {
    const { raft, id } = this.#member;
    // A member that is removed takes no more: what was asked waits for its time-out, or for the end of the process.
    if (this.#member.hasRemoved(id)) return;
    if (raft.lead === none) this.#parked.push(proposal);
    else this.#member.guarded(() => this.#enter(proposal));
  }

  #enter(proposal: Proposal): void {
    const { raft } = this.#member;
    if (raft.role === "leader") {
      if (!propose(raft, proposal)) this.answer(proposal.request, refused("proposal dropped"));
      return;
    }
    const m = messageOf("propose", raft.id, raft.id, 0);
    m.proposal = proposal;
    step(raft, m);
  }

  answer(request: number, answer: Answer): void {
    const waiter = this.#waiters.get(request);
    if (waiter === undefined) return;
    this.#waiters.delete(request);
    waiter.reply(answer);
  }

  leaderChanged(lead: number): void {
    if (lead === none) return;
    const moved = this.#moves.filter((move) => move.to === lead);
    if (moved.length > 0) {
      this.#moves = this.#moves.filter((move) => move.to !== lead);
      for (const { reply } of moved) reply({ ok: true, revision: 0, term: this.#member.raft.term });
    }
    if (this.#round !== undefined) this.#endRound(unsure("leader changed"));
    const parked = this.#parked;
    this.#parked = [];
    if (parked.length > 0)
      this.#member.guarded(() => {
        for (const proposal of parked) if (this.#waiters.has(proposal.request)) this.#enter(proposal);
      });
  }

  #beginRound(): void {
    if (this.#round !== undefined || this.#asking.length === 0) return;
    const { env } = this.#member;
    const { now_us } = env.kernel;
    const replies = this.#asking;
    this.#asking = [];
    this.#round = {
      context: env.kernel.fresh(),
      replies,
      end_us: now_us + env.times.request_us,
      retry_us: now_us + env.times.read_retry_us,
    };
    this.#ask();
  }

  #ask(): void {
    const { raft } = this.#member;
    const m = messageOf("read index", none, raft.id, 0);
    m.context = this.#round?.context ?? 0;
    this.#member.guarded(() => step(raft, m));
  }

  #endRound(answer: Answer): void {
    const replies = this.#round?.replies ?? [];
    this.#round = undefined;
    for (const reply of replies) reply(answer);
    this.#beginRound();
  }

  readState(state: ReadState): void {
    if (this.#round?.context !== state.context) return;
    this.#confirmed.push({ index: state.index, replies: this.#round.replies });
    this.#round = undefined;
    this.applied();
  }

  /** Reads are answered once what was confirmed is applied here. */
  applied(): void {
    if (this.#confirmed.length > 0) {
      const { applier, raft } = this.#member;
      const ready = this.#confirmed.filter((read) => read.index <= applier.index);
      if (ready.length > 0) {
        this.#confirmed = this.#confirmed.filter((read) => read.index > applier.index);
        for (const { replies } of ready)
          for (const reply of replies) reply({ ok: true, revision: applier.store.revision, term: raft.term });
      }
    }
    if (this.#confirmed.length === 0 && this.#asking.length > 0) this.#beginRound();
  }

  firstInTerm(): void {
    if (this.#round !== undefined) this.#ask();
  }

  snapshotReported(id: number, arrived: boolean): void {
    this.#member.guarded(() => snapshotReported(this.#member.raft, id, arrived));
  }

  /** Time-outs, looked at with every tick. */
  tick(): void {
    const { now_us } = this.#member.env.kernel;
    if (this.#waiters.size > 0)
      for (const [request, waiter] of this.#waiters) {
        if (waiter.end_us > now_us) break;
        this.answer(request, unsure("request timed out"));
      }
    if (this.#moves.length > 0) {
      const late = this.#moves.filter((move) => move.end_us <= now_us);
      this.#moves = this.#moves.filter((move) => move.end_us > now_us);
      for (const { reply } of late) reply(unsure("request timed out"));
    }
    this.#forwards.tick();
    const round = this.#round;
    if (round === undefined) return;
    if (round.end_us <= now_us) this.#endRound(unsure("request timed out"));
    else if (round.retry_us <= now_us) {
      round.retry_us = now_us + this.#member.env.times.read_retry_us;
      this.#ask();
    }
  }

  closed(): void {
    const all = [
      ...[...this.#waiters.values()].map((waiter) => waiter.reply),
      ...this.#asking,
      ...(this.#round?.replies ?? []),
      ...this.#confirmed.flatMap((read) => read.replies),
      ...this.#moves.map((move) => move.reply),
      ...this.#forwards.drain(),
    ];
    this.#waiters.clear();
    this.#asking = [];
    this.#round = undefined;
    this.#confirmed = [];
    this.#moves = [];
    for (const reply of all) reply(unsure("connection closed"));
  }
}
