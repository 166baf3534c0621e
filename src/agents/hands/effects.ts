import { type Effects, type Hindrance, success } from "../../act/effects.ts";
import type { FenceFailed } from "../../act/own-fence.ts";
import { notingOn, type OwedOn } from "../../act/power-on.ts";
import type { Times } from "../../act/times.ts";
import { etcdResource, etcdUnit, paths } from "../../base/paths.ts";
import type { Problem } from "../../base/problem.ts";
import { decide } from "../../decide/decide.ts";
import { sleep } from "../../machine/clock.ts";
import { installedEtcd } from "../../machine/etcd/program.ts";
import { forgetFailures } from "../../machine/pacemaker.ts";
import { openRecorder, type Part } from "../../record/open.ts";
import type { Recorder } from "../../record/recorder.ts";
import { wrap } from "../../record/wrap.ts";
import { detectionOf, nodeIdOf } from "../../render/corosync.ts";
import { telling, tellVerdict } from "../alerts/listen.ts";
import { tellConsole } from "../status/console.ts";
import { Said } from "../status/said.ts";
import { attributeEffects, type Saying } from "./attributes.ts";
import { bmcEffects } from "./bmc.ts";
import { bootMark } from "./boot.ts";
import { diskEffects } from "./disk.ts";
import { gatherFacts, ownFacts, type Sources } from "./facts.ts";
import { isFirstStart, isNew, redoingFirst } from "./first-start.ts";
import { markingHalf } from "./half.ts";
import { unitAt } from "./local-etcd.ts";
import { MemoryFile } from "./memory.ts";
import { Notes } from "./notes.ts";
import { attempt } from "./outcome.ts";
import { counting, countingSyncs, paced } from "./pace.ts";
import { isPeerHere, quorumEffects } from "./quorum.ts";
import { etcdNow, Reach } from "./reach.ts";
import { roomFor } from "./room.ts";
import { isStalled } from "./stall.ts";
import { siteTimes } from "./times.ts";
import { mayRun, unitEffects } from "./unit.ts";
import type { Ways } from "./ways.ts";
import { readWitness, witnessOf } from "./witness.ts";
import { agreedOn, withHeard } from "./witness-agreed.ts";
import { readSaid } from "./witness-said.ts";
import { whileHere } from "./woken.ts";
import { wordNow } from "./word.ts";

const first_write_ms = 5_000;

/** All that duet on this machine can do, and what goes with it. */
export interface Hands {
  readonly effects: Effects;
  readonly times: Times;
  readonly recorder: Recorder;
  readonly notes: Notes;
  readonly saying: Saying;
  readonly owedOn: OwedOn;
  /** The peer should win a race. */
  readonly peerFirst: () => Promise<boolean>;
  /** To be told why a fence failed that Pacemaker did not ask for. */
  readonly fenceFailed: FenceFailed;
  /** A linearizable read through this machine's etcd comes back; undefined: its peer was lost meanwhile. */
  readonly reads: (deadline_ms: number) => Promise<boolean | undefined>;
}

/** `say`: one line for the journal. */
export function machineHands(ways: Ways, by: Part, say: (line: string) => void): Hands {
  const { site, mine, theirs } = ways;
  const notes = new Notes();
  const trouble = ({ code, what, fix }: Problem) => say(`${code}: ${what}: ${fix}`);
  const heard = telling({ me: mine.name, peer: theirs.name, by });
  const recorder = openRecorder(mine.name, by, trouble, paths, heard);
  const saying: Saying = {
    ...sayingOf(ways),
    falseOff: (ring) => recorder.event("false off", { of: theirs.name, ring }),
  };
  const owedOn: OwedOn = {
    tries: () => notes.tries("power-ons"),
    count: () => notes.count("power-ons"),
    forget: () => notes.forget("power-ons"),
  };
  const reach = new Reach(site, mine, theirs);
  const noteHindrance = (because: Hindrance | undefined) =>
    because === undefined ? notes.drop("held") : notes.set(because);
  const unit = { ...unitAt(site, mine, theirs), noteHindrance };
  const disk = countingSyncs(
    {
      ...diskEffects({ paths, isRunning: () => mayRun(), note: say, self: unit.self }),
      isNew: () => attempt(async () => success(await isNew())),
    },
    notes,
  );
  const first = redoingFirst(unitEffects(unit), disk.inspect, () => mayRun());
  const { unit: inner, members } = markingHalf(
    paths.etcdData,
    counting(first.unit, notes, () => forgetFailures(etcdResource, mine.name)),
    reach.members,
  );
  const attributes = attributeEffects(saying);
  const whilePeerHere = <T>(asked: Promise<T>, within_ms: number) =>
    whileHere(notes, asked, () => isPeerHere(saying), within_ms);
  const said = async () => withHeard(await readSaid(), saying.memory.read().remembered.heard);
  const sources: Sources = {
    ways,
    saying,
    readState: disk.readState,
    inspect: first.inspect,
    etcd: async () => {
      const now = await etcdNow(inner.isRunning, unit.answers, reach);
      return {
        running: now.running && !isStalled(notes),
        leader: now.leader,
        failedStarts: notes.failedStarts,
      };
    },
    isSole: async (deadline_ms) => {
      const listed = await reach.members.list("self", deadline_ms);
      const [first, ...others] = listed.ok ? listed.value : [];
      return first?.machine === "self" && first.role === "voter" && others.length === 0;
    },
    peerServes: async (deadline_ms) =>
      (await whilePeerHere(reach.peerServes(deadline_ms), deadline_ms)) === true,
    program: (deadline_ms) => installedEtcd(etcdUnit, deadline_ms),
    peerVersions: (deadline_ms) => reach.peerVersions(deadline_ms),
    word: (ring, sides) => wordNow(saying, ring, sides),
    witness: async () => witnessOf(site, await readWitness(), await said()),
    firstStart: () => isFirstStart(attributes.readPeer, mine.name, theirs.name),
  };
  const effects: Effects = {
    site: { me: mine.name, witness: site.witness },
    areTagsWritten: async () => agreedOn(await said(), site.witness) !== "off",
    boot: bootMark(),
    facts: () => gatherFacts(sources),
    own: () => ownFacts(sources),
    decide,
    disk,
    unit: inner,
    members,
    attributes,
    bmc: notingOn(bmcEffects(ways), owedOn),
    quorum: quorumEffects(saying),
    pause: sleep,
  };
  const { token_ms, consensus_ms } = detectionOf(site);
  return {
    effects: noting(
      paced(
        wrap(effects, recorder, {
          silent_ms: token_ms + consensus_ms,
          firstWrite: () => reach.members.writeMarker(first_write_ms),
        }),
        notes,
        () => roomFor(paths.etcdData),
      ),
    ),
    times: siteTimes(site),
    recorder,
    notes,
    saying,
    owedOn,
    fenceFailed: (why) => recorder.event("fence failed", { of: theirs.name, why }),
    reads: (deadline_ms) => whilePeerHere(reach.reads(deadline_ms), deadline_ms),
    peerFirst: async () => {
      const { preferred } = site.fencing;
      // Slowly: only what a look at peace sees.
      return preferred === "leader" ? (await reach.leads()) === "other" : preferred !== mine.name;
    },
  };
}

/** The last decision on each question is kept for `duet status`, and on the console while this machine waits. */
function noting(effects: Effects, said = new Said()): Effects {
  return {
    ...effects,
    decide: (question, facts) => {
      const verdict = effects.decide(question, facts);
      tellVerdict(effects.site.me, question, verdict, said);
      said.note(question, verdict);
      if (question === "start") tellConsole(verdict);
      return verdict;
    },
  };
}

function sayingOf({ site, mine, theirs }: Ways): Saying {
  return {
    me: mine.name,
    peerName: theirs.name,
    peerId: nodeIdOf(site, theirs.name),
    resource: etcdResource,
    memory: new MemoryFile(),
  };
}
