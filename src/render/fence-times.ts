import { turnFor_ms } from "../base/turn.ts";
import type { Timeouts } from "../site/site.ts";
import { fencePolicy } from "./policy.ts";

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

/** At its slowest, a fence of that machine, as the race counts with it: what was measured with room, else what was configured. */
export function fenceBound_ms(
  { fence_ms }: Pick<Timeouts, "fence_ms">,
  times: FenceTimes | undefined,
): number {
  if (times?.off === undefined) return fence_ms;
  const { measured_room, measured_extra_s, fence_s_min } = fencePolicy;
  const roomy_ms = times.off.worst_ms * measured_room.value + measured_extra_s.value * 1000;
  return Math.max(Math.ceil(roomy_ms), fence_s_min.value * 1000);
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
  timeouts: Pick<Timeouts, "fence_ms">,
  both: readonly [FenceTimes | undefined, FenceTimes | undefined],
): number => turnFor_ms(Math.max(...both.map((each) => fenceBound_ms(timeouts, each))));
