import type { Deed } from "../decide/decision.ts";
import { type AdminWord, standsForOff } from "./admin.ts";
import type { EventName, Told } from "./entry.ts";
import { eventsOf, type Known, unknown } from "./known.ts";
import { detectedOf, lostOf } from "./lost.ts";
import type { Placed, Scene } from "./scene.ts";
import { type Phase, type PhaseName, phase_names } from "./timeline.ts";

/** All phases of a failover, in order, known or not. */
export function phasesOf(scene: Scene, words: ReadonlyMap<Told, AdminWord>): readonly Phase[] {
  const { episode, survivor, gone, bothTell } = scene;
  const only = bothTell ? undefined : `only ${gone} saw it, and its record is not here`;
  const taken_ms = episode.takeover_ms === undefined ? undefined : episode.takeover_ms - episode.zero_ms;
  const from_ms = taken_ms ?? 0;
  const back = backOf(scene, from_ms);
  const off = offOf(scene, words);
  const known: Readonly<Record<PhaseName, Known>> = {
    lost: lostOf(scene, off.at_ms ?? 0),
    detected: detectedOf(scene),
    "fence asked": fenceAsked(scene),
    "Off confirmed": off,
    takeover:
      taken_ms === undefined
        ? unknown("none was needed, or none allowed: see the rules")
        : { at_ms: taken_ms, machine: survivor, rule: takeoverRule(scene, taken_ms), note: undefined },
    "first write served": served(scene, from_ms),
    "peer powered on": event(scene, survivor, "peer powered on", from_ms),
    "peer back": back,
    "caught up": event(scene, gone, "learner caught up", from_ms, only),
    full: event(scene, gone, "full", from_ms, only),
    "1+1": wholeOf(scene, back.at_ms ?? from_ms),
  };
  return phase_names.map((name) => ({ name, ...known[name] }));
}

/** The first of this name by this machine, from this time on. */
function event(scene: Scene, machine: string, name: EventName, from_ms: number, otherwise?: string): Known {
  const found = find(scene, machine, name, from_ms);
  return found === undefined
    ? unknown(otherwise)
    : { at_ms: found.at_ms, machine, rule: undefined, note: undefined };
}

const find = ({ placed }: Scene, machine: string, name: EventName, from_ms: number): Placed | undefined =>
  placed.find(
    ({ entry, at_ms }) =>
      entry.machine === machine && entry.kind === "event" && entry.event === name && at_ms >= from_ms,
  );

function fenceAsked(scene: Scene): Known {
  const { survivor, placed } = scene;
  const asked = find(scene, survivor, "fence asked", 0);
  const decided = placed.find(
    ({ entry, at_ms }) =>
      at_ms >= 0 && entry.machine === survivor && entry.kind === "decision" && entry.question === "fence",
  );
  const pacemaker = pacemakers(scene, "off asked");
  const times = [asked, decided, pacemaker].flatMap((each) => (each === undefined ? [] : [each.at_ms]));
  if (times.length === 0) return unknown();
  return { at_ms: Math.min(...times), machine: survivor, rule: fenceRule(scene), note: undefined };
}

/** What Pacemaker told its journal of the machine that was lost. */
const pacemakers = (scene: Scene, what: string) =>
  eventsOf(scene, "pacemaker").find(
    ({ at_ms, detail }) => at_ms >= 0 && detail["what"] === what && detail["of"] === scene.gone,
  );

/** What was refused, taken back at the prompt or said on the other machine stood in for nothing. */
function offOf(scene: Scene, words: ReadonlyMap<Told, AdminWord>): Known {
  const { survivor, placed } = scene;
  const off = event(scene, survivor, "off confirmed", 0);
  if (off.at_ms !== undefined) return off;
  const [word] = placed.flatMap(({ at_ms, entry }) => {
    const each = at_ms >= 0 && entry.machine === survivor ? words.get(entry) : undefined;
    return each !== undefined && standsForOff(each) ? [each] : [];
  });
  return word === undefined ? off : unknown(`instead of it: the word of ${word.who}`);
}

const takes: ReadonlySet<Deed> = new Set<Deed>(["take-over", "resume-takeover"]);

function takeoverRule({ placed, survivor }: Scene, until_ms: number): string | undefined {
  const found = placed.findLast(
    ({ entry, at_ms }) =>
      at_ms <= until_ms &&
      entry.machine === survivor &&
      entry.kind === "decision" &&
      takes.has(entry.decision.do),
  );
  return found?.entry.kind === "decision" ? found.entry.rule : undefined;
}

/** The last of several: a fence may be refused, and asked for again. */
function fenceRule({ placed, survivor }: Scene): string | undefined {
  const found = placed.findLast(
    ({ entry, at_ms }) =>
      at_ms >= 0 && entry.machine === survivor && entry.kind === "decision" && entry.question === "fence",
  );
  return found?.entry.kind === "decision" ? found.entry.rule : undefined;
}

/** A write where somebody wrote; else the read that shows that writes are answered. */
function served(scene: Scene, from_ms: number): Known {
  const write = event(scene, scene.survivor, "first write served", from_ms);
  if (write.at_ms !== undefined || scene.episode.takeover_ms === undefined) return write;
  const read = event(scene, scene.survivor, "serves alone", from_ms);
  if (read.at_ms !== undefined) return { ...read, note: "by a linearizable read" };
  const ends = event(scene, scene.survivor, "takeover ends", from_ms);
  return ends.at_ms === undefined ? ends : { ...ends, note: "by the end of the takeover" };
}

/** Seen by whoever saw it first; with the rule by which the other then came in. */
function backOf(scene: Scene, from_ms: number): Known {
  const { placed, gone, survivor } = scene;
  const joined = eventsOf(scene, "membership").find(
    ({ at_ms, detail }) => at_ms >= from_ms && detail["peer"] === true,
  );
  const mine =
    joined === undefined
      ? event(scene, survivor, "peer back", from_ms)
      : { ...unknown(), at_ms: joined.at_ms, machine: survivor };
  const back = mine.at_ms === undefined ? event(scene, gone, "peer back", from_ms) : mine;
  if (back.at_ms === undefined) return back;
  const since_ms = back.at_ms;
  const joins = placed.find(
    ({ entry, at_ms }) =>
      at_ms >= since_ms - 1 &&
      entry.machine === gone &&
      entry.kind === "decision" &&
      entry.question === "start" &&
      entry.decision.do !== "wait",
  );
  return { ...back, rule: joins?.entry.kind === "decision" ? joins.entry.rule : undefined };
}

function wholeOf(scene: Scene, from_ms: number): Known {
  const [mine, theirs] = [scene.survivor, scene.gone].map((name) => event(scene, name, "1+1", from_ms));
  const found = [mine, theirs].filter((each) => each?.at_ms !== undefined);
  const [first] = found.toSorted((a, b) => (a?.at_ms ?? 0) - (b?.at_ms ?? 0));
  return first ?? unknown();
}
