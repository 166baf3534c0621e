import { turnFor_ms, withLateCommand_ms } from "../base/turn.ts";
import type { Timeouts } from "../site/site.ts";
import { detectionOf } from "./corosync.ts";
import { fencePolicy } from "./policy.ts";

export type FenceTimeouts = Pick<Timeouts, "fence_ms" | "token_ms">;

/** What was measured of the way by which one machine is switched off, by its peer, which is who would do it. */
export interface FenceTimes {
  /** The BMC that was asked; what was measured of another says nothing. */
  readonly bmc: string;
  /** In harmless form: calls that log in and read, and change nothing. */
  readonly calls: number;
  readonly call_ms_median: number;
  readonly call_ms_worst: number;
  /** When, as an ISO date. */
  readonly read_at: string;
  /** The slowest real Off so far, from the command until Off was read; only where somebody consented to one. */
  readonly off?: { readonly worst_ms: number; readonly at: string };
}

/**
 * How far apart the two may see that they lost each other: what one still hears the other may not, for as long as a loss takes to be seen. A
 * busy machine sends its command late by as much.
 */
export const apart_ms = (timeouts: Pick<Timeouts, "token_ms">): number => {
  const { token_ms, consensus_ms } = detectionOf({ timeouts });
  return Math.max(fencePolicy.apart_s_min.value * 1000, token_ms + consensus_ms);
};

/**
 * At its slowest, a fence of that machine, as the race counts with it: what was measured with room, else what was configured. Either has
 * room for two that see the loss apart, and for a command behind the window.
 */
export function fenceBound_ms(timeouts: FenceTimeouts, times: FenceTimes | undefined): number {
  const worst_ms = times?.off?.worst_ms ?? timeouts.fence_ms;
  const inTime_ms = withLateCommand_ms(worst_ms + apart_ms(timeouts));
  if (times?.off === undefined) return inTime_ms;
  const { measured_room, fence_s_min } = fencePolicy;
  const roomy_ms = Math.ceil(worst_ms * measured_room.value + apart_ms(timeouts));
  return Math.max(inTime_ms, roomy_ms, fence_s_min.value * 1000);
}

/**
 * One turn of the race to fence (src/decide/race.ts), for a pair, by the slower one's fence.
 *
 * The two must count alike. So this follows from what both have: the site file, and the times in Pacemaker's configuration, which
 * is one for the two and changes on both at once. Where they differ all the same (the wire is cut in the very moment of a change,
 * or one was never told since its boot and takes what the site file says) the first round still keeps them apart as long as the
 * waiting one's turn has room for a fence; in a later round they may command together, and both go off: dark, nothing lost.
 */
export const turnLength_ms = (
  timeouts: FenceTimeouts,
  both: readonly [FenceTimes | undefined, FenceTimes | undefined],
): number => turnFor_ms(Math.max(...both.map((each) => fenceBound_ms(timeouts, each))));
