import type { Detection, Standstill } from "../../machine/corosync.ts";
import type { RingNote } from "./memory.ts";

/** How long ago the two lost each other, worked out from what Corosync left behind. */
export interface LossReading {
  readonly note: RingNote;
  /** By the system's clock, as are the standstills. */
  readonly formed_ms: number | undefined;
  readonly standstills: readonly Standstill[];
  readonly detection: Detection | undefined;
  /** Now, by the system's clock and by the one that never jumps. */
  readonly clock_ms: number;
  readonly now_ms: number;
}

const refresh_ms = 5_000;
/** No look takes so long: one that is behind what others noted is older than theirs, unless theirs is this old. */
const stale_ms = 60_000;
/** For what the clocks are set by while nothing jumps, and for the time between two readings. */
const slack_ms = 500;
/** A loss that is seen so soon after a standstill is one that the standstill made. */
const late_ms = 15_000;

/** The note after one more look. The same object where nothing worth a write has changed. */
export function noteRing(
  was: RingNote | undefined,
  membership: { readonly ring: string; readonly peer: boolean },
  now_ms: number,
  ahead_ms?: number,
): RingNote {
  const { ring, peer } = membership;
  if (was !== undefined && now_ms - was.last_ms < stale_ms && sequence(ring) < sequence(was.ring)) return was;
  const together_ms = peer ? now_ms : was?.together_ms;
  if (was?.ring !== ring)
    return { ring, other_ms: was?.last_ms, first_ms: now_ms, last_ms: now_ms, together_ms, ahead_ms };
  return now_ms - was.last_ms < refresh_ms ? was : { ...was, last_ms: now_ms, together_ms };
}

const sequence = (ring: string): bigint => BigInt(`0x${ring.split(".")[1] ?? "0"}`);

/**
 * Undefined where it can't be told: then the system's clock, by which Corosync's file is dated, was set between the loss and now,
 * or the membership is only just being formed.
 */
export function sinceLoss_ms(reading: LossReading): number | undefined {
  const { note, formed_ms, clock_ms, now_ms } = reading;
  if (formed_ms === undefined || wasSet(reading)) return undefined;
  const since_ms = clock_ms - formed_ms;
  const least_ms = now_ms - note.first_ms - slack_ms;
  const most_ms = now_ms - (note.other_ms ?? 0) + slack_ms;
  if (since_ms < least_ms || since_ms > most_ms) return undefined;
  return Math.max(0, since_ms, ...sinceSilence_ms(reading, formed_ms));
}

/** The system's clock has jumped since this membership was first seen: by less than the bounds below would show, perhaps. */
const wasSet = ({ note: { ahead_ms }, clock_ms, now_ms }: LossReading): boolean =>
  ahead_ms !== undefined && Math.abs(clock_ms - now_ms - ahead_ms) > slack_ms;

/**
 * Who stood still sees late what its peer saw when it fell silent, and must count as its peer does. Only of a standstill that was
 * long enough to be missed, that led to this loss, and after which the two were not together again.
 */
function sinceSilence_ms(
  { note, standstills, detection, clock_ms, now_ms }: LossReading,
  formed_ms: number,
): readonly number[] {
  if (detection === undefined) return [];
  const { token_ms, consensus_ms } = detection;
  const together_clock_ms =
    note.together_ms === undefined ? undefined : clock_ms - (now_ms - note.together_ms);
  return standstills
    .filter(
      ({ ended_ms, lasted_ms }) =>
        lasted_ms >= token_ms &&
        formed_ms > ended_ms - slack_ms &&
        formed_ms < ended_ms + late_ms &&
        (together_clock_ms === undefined || together_clock_ms < ended_ms),
    )
    .map(({ ended_ms, lasted_ms }) => clock_ms - (ended_ms - lasted_ms + token_ms + consensus_ms));
}
