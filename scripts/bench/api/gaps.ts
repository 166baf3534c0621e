import type { Crew } from "../../../lab/api-clients/crew.ts";
import type { Entry } from "../../../lab/api-clients/history.ts";
import type { ApiStatus } from "../../../lab/api-clients/status.ts";
import { fail } from "../../../src/base/problem.ts";
import { until } from "../../../src/machine/clock.ts";
import { longestGap } from "../failover/acks.ts";
import type { ClientGap } from "../failover/parts.ts";

/** Shorter ones a busy box makes by itself. */
const gap_ms_min = 1_000;
/** So long without another gap, and the API is back. */
const calm_ms = 3_000;

/** When writes were acknowledged, in order. */
export const apiAcks = (history: readonly Entry[]): readonly number[] =>
  history
    .flatMap((entry) => (entry.kind === "answer" && entry.outcome === "ok" ? [entry.at_ms] : []))
    .toSorted((a, b) => a - b);

/** The longest time between two of these of which some lies between the moments, or after the last one up to the second moment. */
export function longest_ms(acks: readonly number[], from_ms: number, until_ms: number): number {
  const gap = longestGap(acks, from_ms, until_ms);
  if (gap === undefined)
    return fail(
      "DUET-E-PROCESS-FAILED",
      "the clients",
      "no write was acknowledged",
      "see the API servers' logs",
    );
  return gap.end_ms - gap.begin_ms;
}

/** The gap that a loss made, when it is over and writes go on; undefined: not yet. */
export function gapAfter(status: ApiStatus, fault_ms: number): ClientGap | undefined {
  const { gap_ms, gap_end_ms, last_ms } = status;
  const over = last_ms >= gap_end_ms + calm_ms;
  return over && gap_end_ms > fault_ms && gap_ms > gap_ms_min
    ? { begin_ms: gap_end_ms - gap_ms, end_ms: gap_end_ms }
    : undefined;
}

export async function untilBack(
  crew: Pick<Crew, "fresh">,
  fault_ms: number,
  deadline_ms: number,
): Promise<ClientGap> {
  return await until("the API takes writes again", async () => gapAfter(await crew.fresh(), fault_ms), {
    deadline_ms,
  });
}
