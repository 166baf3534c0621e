import type { Finding } from "./finding.ts";

/** A machine's clock minus ours lies between these two: what a call that took time can tell, and not more. */
export interface Offset {
  readonly low_ms: number;
  readonly high_ms: number;
}

/** From our clock before and after a call, and the machine's at the start and the end of its work within it. */
export function offsetOf(
  ours: { start_ms: number; end_ms: number },
  theirs: { start_ms: number; end_ms: number },
): Offset {
  const low_ms = theirs.end_ms - ours.end_ms;
  const high_ms = theirs.start_ms - ours.start_ms;
  // A clock that was set during the call can turn them round.
  return { low_ms: Math.min(low_ms, high_ms), high_ms: Math.max(low_ms, high_ms) };
}

export function between(a: Offset, b: Offset): Offset {
  return { low_ms: a.low_ms - b.high_ms, high_ms: a.high_ms - b.low_ms };
}

export const clock_warn_ms = 500;
export const clock_fail_ms = 5_000;

/** The least difference that must be there: a slow call alone is never taken for a wrong clock. */
export function leastDifference(offset: Offset): number {
  if (offset.low_ms <= 0 && offset.high_ms >= 0) return 0;
  return Math.min(Math.abs(offset.low_ms), Math.abs(offset.high_ms));
}

export function judgeClock(subject: string, check: string, against: string, offset: Offset): Finding {
  const middle_s = (offset.low_ms + offset.high_ms) / 2000;
  const half_s = (offset.high_ms - offset.low_ms) / 2000;
  const detail = `${middle_s >= 0 ? "+" : "-"}${Math.abs(middle_s).toFixed(2)} s ± ${half_s.toFixed(2)} s against ${against}`;
  const least_ms = leastDifference(offset);
  if (least_ms <= clock_warn_ms) return { subject, check, mark: "ok", detail };
  return {
    subject,
    check,
    mark: least_ms > clock_fail_ms ? "fail" : "warn",
    detail,
    fix: "run an NTP client (chrony) on both machines and here: certificates and logs depend on the clocks",
  };
}
