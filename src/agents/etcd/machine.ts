import { rm } from "node:fs/promises";
import { etcdPorts, etcdResource, etcdUnit, guardUnit, paths, workUnit } from "../../base/paths.ts";
import { isFullVoter } from "../../decide/lineage.ts";
import type { Facts } from "../../decide/facts.ts";
import { powerOnLater } from "../../act/power-on.ts";
import { runSteps } from "../../act/steps.ts";
import { fail } from "../../base/problem.ts";
import { attributeOf } from "../../machine/attributes.ts";
import { membership } from "../../machine/corosync.ts";
import { type LastingAttributes, lastingAttributes } from "../../machine/fence-times.ts";
import { exists, readIfThere } from "../../machine/files.ts";
import { forgetFailures } from "../../machine/pacemaker.ts";
import { isListening } from "../../machine/ports.ts";
import { run, unended_ms } from "../../machine/process.ts";
import { keepReserve } from "../../machine/reserve.ts";
import { forgetRefusals } from "../../machine/refusals.ts";
import { loadSite, siteFolder } from "../../machine/site-file.ts";
import { programOf, unitState } from "../../machine/systemd.ts";
import { etcdStop_s } from "../../render/policy.ts";
import type { Site } from "../../site/site.ts";
import type { Part } from "../../record/open.ts";
import { factsAttribute } from "../hands/attributes.ts";
import type { Hands } from "../hands/effects.ts";
import { measuredTimes } from "../hands/measured.ts";
import { Notes } from "../hands/notes.ts";
import { failureOf } from "../hands/outcome.ts";
import { isPeerHere } from "../hands/quorum.ts";
import { room_bytes_min, roomFor } from "../hands/room.ts";
import { tellJournals } from "../hands/journals.ts";
import { mayRun, stopUnit } from "../hands/unit.ts";
import { watchReads } from "../hands/stall.ts";
import { siteTimes } from "../hands/times.ts";
import { tellDark } from "../alerts/listen.ts";
import type { FenceMachine } from "../fence/agent.ts";
import { tellSaying } from "../status/publish.ts";
import { UnfinishedNote } from "../status/unfinished.ts";
import { type EtcdSeat, hindrance } from "./agent.ts";
import { isCaredFor } from "./cared.ts";
import { awaitStop, forgetEndedStop } from "./ended-stop.ts";
import { ocf, type Status } from "./ocf.ts";
import { watch } from "./watch.ts";

/** Around the leave and etcd's own end: the one-shot is killed after three seconds, and systemd is asked whether etcd is down. */
export const end_work_ms = 10_000;
const word_ms = 2_000;
const call_ms = 5_000;
const write_ms = 2_000;
export const guard_ms = 2_000;
/** At the end of a stop: is the disk read-only, and is there a peer? */
export const hindrance_ms = write_ms + unended_ms + call_ms;
const stop_ms = 10_000;
const say = (line: string) => process.stderr.write(`${line}\n`);

/** The machine that this runs on, for the actions. What only one of them needs is loaded then. */
export function etcdSeat(): EtcdSeat {
  const notes = new Notes();
  return {
    notes,
    lacks: async () => {
      // Not 6, `notConfigured`: Pacemaker takes that for a fault of the whole site's, and would stop etcd on the other machine too.
      for (const path of [paths.machine, paths.site, paths.etcdEnvironment])
        if (!(await exists(path)))
          return { status: ocf.notInstalled, why: `${path} is missing: this machine was not set up` };
      const program = await programOf(etcdUnit, call_ms);
      if (program !== undefined && (await exists(program))) return undefined;
      const missing = program ?? `the program of ${etcdUnit}`;
      return { status: ocf.notInstalled, why: `${missing} is missing` };
    },
    isCaredFor: () =>
      isCaredFor({
        notes,
        listens: () => isListening(etcdPorts.client),
        works: async () => {
          const { active } = await unitState(workUnit, call_ms);
          return active === "active" || active === "activating";
        },
      }),
    hasPeer,
    takesWrites,
    stop: stopHere,
    checkSite: async () => {
      await loadSite(paths.site);
    },
    complain: (line) => process.stderr.write(line),
  };
}

/** One that runs goes on; in a shutdown systemd starts nothing any more. */
const callGuard = async () => {
  await run(["systemctl", "--no-block", "start", guardUnit], { accept: "any", deadline_ms: guard_ms }).catch(
    failureOf,
  );
};

const hasPeer = async () => (await membership(call_ms)).members.length > 1;
/** By another program: on a disk that hangs, a write of this one's own would hold its end. */
const takesWrites = async () => {
  const probe = paths.stateProbe;
  const write = [
    "dd",
    "if=/dev/zero",
    `of=${probe}`,
    "bs=1",
    "count=1",
    "conv=fsync",
    "status=none",
  ] as const;
  try {
    const { status } = await run(write, { accept: "any", deadline_ms: write_ms });
    if (status === 0) await rm(probe, { force: true });
    return status === 0;
  } catch (error) {
    failureOf(error);
    return false;
  }
};

/** A site file that can't be read must not keep etcd from its stop: the answer to that would be a fence. */
async function stopHere(): Promise<Status> {
  const { stopEtcd } = await import("./stop.ts");
  const endWork = async () => {
    await run(["systemctl", "stop", workUnit], { deadline_ms: end_work_ms });
  };
  let hands: Hands;
  try {
    hands = await loadHands();
  } catch (error) {
    const { failure } = failureOf(error);
    say(`etcd is stopped, and stays a member: ${failure.said}`);
    const notes = new Notes();
    notes.set("leaving");
    try {
      await endWork();
      const down = await stopUnit(stop_ms);
      if (down.ok) notes.drop("started", "promoted");
      else notes.set("stop-failed");
      return down.ok ? ocf.success : ocf.failed;
    } finally {
      notes.drop("leaving");
    }
  }
  return await stopEtcd({
    hands,
    endWork,
    isDown: async () => !(await mayRun()),
    hindrance: () => hindrance({ notes: hands.notes, hasPeer, takesWrites }),
    callGuard,
    say,
  });
}

/** With what was read for them: whoever needs it too does not read it again. */
interface LoadedHands extends Hands {
  readonly site: Site;
  readonly lasting: LastingAttributes | undefined;
}

/** This machine's hands. */
export async function loadHands(by: Part = "agent"): Promise<LoadedHands> {
  // It takes as long as the rest, and is waited for at its end.
  const lasting = lastingAttributes().catch(() => undefined);
  const { machineHands } = await import("../hands/effects.ts");
  const { Ways } = await import("../hands/ways.ts");
  const me = (await readIfThere(paths.machine))?.trim() ?? "";
  const site = await loadSite(paths.site);
  if (!site.machines.some(({ name }) => name === me) || site.machines.length !== 2)
    fail(
      "DUET-E-SETUP-NOT-RENDERED",
      paths.machine,
      `${paths.site} does not name ${me} and one other`,
      "render the site again",
    );
  const { bootSystems } = await import("../hands/systems.ts");
  // A person who asks is answered by the BMCs as they are now.
  if (by === "command") forgetRefusals(paths.run);
  const folder = siteFolder(paths.site);
  const ways = new Ways({ site, me, folder, systems: bootSystems(), files: paths });
  const hands = machineHands(ways, by, say);
  return {
    ...hands,
    times: siteTimes(site, await measuredTimes(site, lasting)),
    site,
    lasting: await lasting,
  };
}

/** The machine that this runs on, for fence_duet. */
export async function fenceMachine(version: string): Promise<FenceMachine> {
  const { fenceSeat } = await import("../fence/machine.ts");
  return {
    ...fenceSeat(version),
    hands: async (ways) => {
      const { machineHands } = await import("../hands/effects.ts");
      return machineHands(ways, "fence", say);
    },
    times: async ({ site }) => siteTimes(site, await measuredTimes(site, lastingAttributes())),
    wake: () => new Notes().set("wake"),
  };
}

/** What systemd starts as the one-shot. */
export async function runOneShot(): Promise<void> {
  const notes = new Notes();
  notes.drop("wake");
  if (notes.has("leaving")) await awaitStop(notes, etcdStop_s * 1_000);
  if (!notes.has("started")) return await standBy(notes);
  const { oneShot } = await import("./one-shot.ts");
  const hands = await loadHands();
  const watched = watch(hands.effects, say);
  const { peerName } = hands.saying;
  let complaint = "";
  const unfinished = new UnfinishedNote();
  const { hearing } = await import("../credentials/machine.ts");
  // A peer that was away when a password was changed needs the new one from its first look on: it may have to fence at the next.
  const hear = hearing(hands.saying.me, say);
  await oneShot({
    hands: { ...hands, effects: watched.effects },
    fenceFailed: hands.fenceFailed,
    peerWord: async () => {
      hear();
      try {
        return await attributeOf(peerName, factsAttribute, word_ms);
      } catch (error) {
        failureOf(error);
        return undefined;
      }
    },
    told: (end) => {
      const isHere = watched.last?.peer.seen === "now";
      unfinished.note(end, (what) => tellDark(hands.saying.me, watched.start, isHere, what));
      const why = end.done ? "" : end.why;
      if (!end.done && why !== complaint) say(`not done, and tried again: ${why}`);
      complaint = why;
    },
    forgetStop: () =>
      forgetEndedStop({
        notes,
        // That it names a leader is not enough: one whose disk hangs does so for ever.
        isOver: async () => !(await mayRun()) || (await hands.reads(word_ms)) === true,
        hindrance: () => hindrance({ notes, hasPeer, takesWrites }),
        forget: () => forgetFailures(etcdResource, hands.saying.me),
      }),
    atPeace: () => watched.last !== undefined && isAtPeace(watched.last),
    awaitsFence: () => watched.last !== undefined && isBeforeFence(watched.last),
    tellMore: async () => {
      if (watched.last !== undefined) await inTurn(notes, chores(hands, watched.last));
    },
  });
  const isWhole = watched.last !== undefined && isWholePair(watched.last);
  await inTurn(notes, [...(isWhole ? [careForKept] : []), () => tellProof(hands.saying.me, peerName)]);
}

type Chore = () => Promise<void>;

/** What is not done now is done at the next look: the one that somebody wants comes first. */
async function inTurn(notes: Notes, todo: readonly Chore[]): Promise<void> {
  for (const chore of todo) if (!notes.has("wake")) await chore();
}

/** For when there is nothing to do, by what the last look saw. */
function chores(hands: LoadedHands, facts: Facts): readonly Chore[] {
  const { notes, reads, recorder, saying, site } = hands;
  const here: readonly Chore[] = [
    () => watchReads(facts, notes, reads),
    () => powerOnOwed(hands, facts),
    // Without a leader here somebody may wait for the next look.
    async () => {
      if (facts.etcd.leader && recorder.unread) await tellJournals(hands);
    },
  ];
  // Nobody hears the others while the peer is away, and a takeover must not wait for that.
  if (facts.peer.seen !== "now") return here;
  return [
    ...here,
    tellSaying,
    () => tellWitness(hands, facts),
    () => tellHere(hands),
    () => heed(facts, site),
    async () => {
      const { careHere } = await import("../credentials/machine.ts");
      await careHere(saying.me, say);
    },
  ];
}

/** A peer that was switched on, and whose BMC could not take it then. */
async function powerOnOwed({ effects, times, owedOn, recorder }: LoadedHands, facts: Facts): Promise<void> {
  await runSteps(powerOnLater(effects, times, facts, owedOn), recorder.step);
  recorder.stepsEnd();
}

/** How old the last proof is that a fence would work, is looked at once an hour, where the site tells anybody. */
async function tellProof(me: string, peer: string): Promise<void> {
  const { tellOldProof } = await import("../alerts/proof.ts");
  try {
    await tellOldProof({ me, peer, now_ms: Date.now() });
  } catch (error) {
    say(`the age of the last proof of fencing can't be told: ${failureOf(error).failure.said}`);
  }
}

/** What can't be said now is said at the next look. */
async function tellWitness(
  { site, lasting, saying: { me, peerName } }: LoadedHands,
  facts: Facts,
): Promise<void> {
  const { shareWitness } = await import("../hands/witness-word.ts");
  const { arePaired } = await import("../hands/witness-agreed.ts");
  const { adoptTests } = await import("../setup/witness.ts");
  try {
    if (lasting !== undefined) await adoptTests(site, lasting);
    await shareWitness({ site, me, peerName, files: paths, isPaired: arePaired(facts) });
  } catch (error) {
    failureOf(error);
  }
}

/** An uninstall that was cut off, and this machine is back: it is no machine that is gone. */
async function tellHere({ lasting, saying: { me } }: LoadedHands): Promise<void> {
  const { takeMarkBack } = await import("../uninstall/mark.ts");
  const { dropLeftPlan } = await import("../uninstall/plan.ts");
  try {
    if (await takeMarkBack(me, lasting)) say(`an uninstall of ${me} was cut off: it takes part, and says so`);
    if (await dropLeftPlan())
      say(`an uninstall of ${me} was cut off: it takes part, and the plan is dropped`);
  } catch (error) {
    failureOf(error);
  }
}

/** Asked for on the peer, by a person. What can't be read now is read at the next look. */
async function heed(facts: Facts, site: Site): Promise<void> {
  const { doorsHere, heedWish } = await import("../planned/heed.ts");
  const { placesOf } = await import("../hands/reach.ts");
  try {
    await heedWish(facts, doorsHere({ me: facts.me, places: placesOf(site, facts.me) }, say));
  } catch (error) {
    failureOf(error);
  }
}

async function standBy(notes: Notes): Promise<void> {
  if (!(await exists(paths.setupDone))) return;
  const { tellWhileStopped } = await import("./stopped.ts");
  await tellWhileStopped({
    notes,
    hands: async () => {
      const { effects, times, saying } = await loadHands();
      return { effects, times, isPeerHere: () => isPeerHere(saying) };
    },
  });
}

/** Copies get their hashes, or go where they are not needed any more, and a reserve that was spent is there again. What can't be done now is there at the next look. */
async function careForKept(): Promise<void> {
  const { hashOneLog } = await import("../hands/aside.ts");
  const { pruneKept } = await import("../hands/prune.ts");
  try {
    const gone = await pruneKept(paths.kept);
    if ((roomFor(paths.state) ?? 0) > room_bytes_min) await keepReserve(paths.state);
    await hashOneLog(paths.kept);
    if (gone.length > 0) say(`old copies are removed from ${paths.kept}: ${gone.join(", ")}`);
  } catch (error) {
    say(
      `an old copy in ${paths.kept} can't be removed, or read, or no reserve be kept: ${failureOf(error).failure.said}`,
    );
  }
}

/** Who serves already waits for no proof. */
const isBeforeFence = ({ peer, fencePending, proof, etcd }: Facts): boolean =>
  peer.seen !== "now" && fencePending && proof !== "off" && !etcd.leader;
const isWholePair = ({ self, peer, etcd: { leader } }: Facts): boolean =>
  peer.seen === "now" && leader && isFullVoter(self) && peer.facts !== undefined && isFullVoter(peer.facts);
const isAtPeace = (facts: Facts): boolean => facts.peer.seen !== "now" || isWholePair(facts);
