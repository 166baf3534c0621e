import { windowOf_ms } from "../base/turn.ts";
import {
  done,
  type Effects,
  failed,
  type Failure,
  type Loss,
  type OffSwitch,
  type OffWay,
  type Outcome,
} from "./effects.ts";
import type { Times } from "./times.ts";

const late_reads = 2;
/** Reads without an answer, one after the other. */
interface Silence {
  /** How long ago the loss was when the first of them was begun, which is the only clock here. Undefined: nobody can tell. */
  readonly since_ms: number | undefined;
  readonly reads: number;
}

/**
 * Who has not answered for so long may have gone dark with its machine: what can be done then is decided anew. A BMC that starts anew answers sooner.
 * A machine that can't tell how long ago the loss was has booted alone, as a rule: it waits for no turn, so a new look costs it little.
 */
function isDark({ since_ms, reads }: Silence, lost: Loss | undefined): boolean {
  // Still a member, or nobody can tell just now.
  if (lost === undefined) return false;
  if (since_ms === undefined) return lost.since_ms === undefined && reads >= silent_reads_max;
  return lost.since_ms !== undefined && lost.since_ms - since_ms >= silent_ms_max;
}
const silent_reads_max = 2;
const silent_ms_max = 20_000;

/**
 * A command comes at the beginning of a way; or for a further switch of one of which some are switched already; or to a peer that shows
 * Off behind a command that was not answered.
 */
export type Moment = "begin" | "go on" | "shows off";

/** Before each command: is it still right to switch the peer off? It may wait first; its answer is why not. */
export type MayCommand = (moment: Moment) => AsyncGenerator<string, string | undefined, void>;

/**
 * Commands Off by one way after the other until Off is read. It is commanded even where Off is read already: the reading may be
 * cached, and it proves nothing by a way that refused the command, never got it or never answered. A way that took the command and
 * does not lead to Off is left for the next: some BMCs accept and do nothing.
 */
export async function* proveOff(
  effects: Effects,
  times: Times,
  may: MayCommand,
): AsyncGenerator<string, Outcome, void> {
  const begun = await effects.quorum.loss();
  // A peer that is a member is seen lost only when it is off.
  const lostIn = begun.ok ? begun.value?.ring : undefined;
  let last: Outcome = failed("unreachable", "there is no way to switch the peer off");
  const took: Witness[] = [];
  const late: OffWay[] = [];
  const deadline_ms = commandDeadline_ms(times, effects.bmc.offWays.length);
  for (const way of effects.bmc.offWays) {
    const commanded = yield* commandWay(effects, way, may, { first: "begin", deadline_ms });
    last = commanded.outcome;
    if (commanded.given_up) return last;
    if (!last.ok && last.failure.kind === "deadline") late.push(way);
    if (!isAnswered(last)) continue;
    took.push(witnessOf(way));
    // Where Off was weighed against what the machine is, it is off already, or it stays on.
    const tries_max = last.ok ? times.tries_max : late_reads;
    const off = yield* readOff(effects, times, { tries_max, by: onlyOne(took), lostIn });
    if (off.ok || off.failure.kind === "changed") return off;
    if (last.ok) last = off;
  }
  for (const way of late) {
    const off = yield* proveLate(effects, times, may, way, lostIn);
    if (off === undefined) continue;
    if (off.ok || off.failure.kind === "changed") return off;
    last = off;
  }
  return last;
}

/**
 * A slow BMC may have taken the command, and answered too late. One that can't see its machine shows Off as well, and its refusal may
 * be what was lost on the way: only a further command, and an answer to it, tell the two apart. That one need not fit into a window:
 * who shows Off is no rival.
 */
async function* proveLate(
  effects: Effects,
  times: Times,
  may: MayCommand,
  way: OffWay,
  lostIn: string | undefined,
): AsyncGenerator<string, Outcome | undefined, void> {
  const by = witnessOf(way);
  const shown = yield* readOff(effects, times, { tries_max: late_reads, by, lostIn });
  if (!shown.ok) return shown.failure.kind === "changed" ? shown : undefined;
  const again = yield* commandWay(effects, way, may, {
    first: "shows off",
    deadline_ms: times.bmc_ms,
    send_ms: commandDeadline_ms(times, effects.bmc.offWays.length) / 4,
  });
  if (!isAnswered(again.outcome)) return again.outcome;
  return yield* readOff(effects, times, { tries_max: late_reads, by, lostIn });
}

/** Taken; or turned down for what the machine is, by who must show Off then. */
const isAnswered = (outcome: Outcome): boolean => outcome.ok || outcome.failure.kind === "weighed";

/** Who can tell of an Off that this way has brought about. */
type Witness = "BMC" | "outlets";

const witnessOf = (way: OffWay): Witness => (way.includes("BMC") ? "BMC" : "outlets");

/** Two that have taken the command are both believed. */
const onlyOne = (took: readonly Witness[]): Witness | undefined => (took.length === 1 ? took[0] : undefined);

interface Command {
  readonly first: Moment;
  readonly deadline_ms: number;
  readonly send_ms?: number;
}

interface Commanded {
  readonly outcome: Outcome;
  /** It is no longer right to switch the peer off, by no way. */
  readonly given_up: boolean;
}

/**
 * Every switch of a way, in its order. The first that surely did not take it ends it: the others would take a supply from the peer and
 * prove nothing. What was switched stays off, since On could meet the next Off, and is commanded again at the next try.
 */
async function* commandWay(
  { bmc }: Effects,
  way: OffWay,
  may: MayCommand,
  { first, deadline_ms, send_ms }: Command,
): AsyncGenerator<string, Commanded, void> {
  const switched: OffSwitch[] = [];
  let outcome: Outcome = done;
  for (const each of way) {
    const no = yield* may(first === "begin" && switched.length > 0 ? "go on" : first);
    if (no !== undefined) return { outcome: half(switched, { kind: "changed", said: no }), given_up: true };
    yield `command the peer's Off by its ${each}`;
    const taken = await bmc.commandOff(each, deadline_ms, send_ms);
    if (!taken.ok && !isAnswered(taken) && taken.failure.kind !== "deadline")
      return { outcome: half(switched, taken.failure), given_up: false };
    if (!taken.ok) outcome = taken;
    switched.push(each);
  }
  return { outcome, given_up: false };
}

/** The failure of a way, with what it leaves behind. */
function half(switched: readonly OffSwitch[], { kind, said }: Failure): Outcome {
  if (switched.length === 0) return failed(kind, said);
  const left = `${switched.join(", ")} ${switched.length === 1 ? "was" : "were"} switched off before that`;
  return failed(kind, `${said}; ${left}, and the peer may run on what else feeds it`);
}

/**
 * All ways, one after the other, fit into the window in which this machine may command: a silent one must leave the next its room.
 * Further switches of one way are asked for anew: one that the window has no room for waits for the next.
 */
export const commandDeadline_ms = ({ bmc_ms, turn_ms }: Times, ways: number): number =>
  Math.min(bmc_ms, windowOf_ms(turn_ms) / ways);

interface Reading {
  readonly tries_max: number;
  readonly by: Witness | undefined;
  /** The membership in which the peer was lost. */
  readonly lostIn: string | undefined;
}

async function* readOff(
  effects: Effects,
  times: Times,
  { tries_max, by, lostIn }: Reading,
): AsyncGenerator<string, Outcome, void> {
  let why = "";
  let silent: Silence | undefined;
  for (let tries = 0; tries < tries_max; tries++) {
    const loss = await effects.quorum.loss();
    // It waits for a word of this machine, and an Off of another time would be none for it.
    if (lostIn !== undefined && loss.ok && loss.value?.ring !== lostIn)
      return failed("changed", "the membership has changed: this Off was for another loss");
    // Another fence of this loss has read it, by a way that this one may not believe.
    if (lostIn !== undefined && loss.ok && loss.value?.proven === true) return done;
    const lost = loss.ok ? loss.value : undefined;
    if (silent !== undefined && isDark(silent, lost)) break;
    yield "read that the peer is off";
    const power = await effects.bmc.peerPower(times.bmc_ms, by);
    if (power.ok && power.value === "off") return done;
    why = power.ok ? "" : `: ${power.failure.said}`;
    silent = power.ok
      ? undefined
      : { since_ms: silent?.since_ms ?? lost?.since_ms, reads: (silent?.reads ?? 0) + 1 };
    await effects.pause(times.again_ms);
  }
  return failed("failed", `the command was taken, and the peer does not read Off${why}`);
}
