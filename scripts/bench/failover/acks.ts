import * as v from "valibot";
import type { ClientGap } from "./parts.ts";

const operation = v.object({ kind: v.string(), outcome: v.string(), return_us: v.number() });
const writes: ReadonlySet<string> = new Set(["put", "create", "swap"]);

/** When writes were acknowledged, by a history of the clients. Milliseconds since the epoch, in order. */
export function acksOf(history: string, begun_ms: number): readonly number[] {
  const found: number[] = [];
  for (const line of history.split("\n")) {
    if (line === "") continue;
    const parsed = v.safeParse(operation, JSON.parse(line));
    // The last line is its end, and no operation.
    if (!parsed.success) continue;
    const { kind, outcome, return_us } = parsed.output;
    if (writes.has(kind) && outcome === "ok") found.push(begun_ms + return_us / 1000);
  }
  return found.toSorted((a, b) => a - b);
}

/**
 * The longest time between two acknowledged writes of which some lies between these moments. After the last one of all it is a gap up
 * to the second moment: an outage that has no end yet is one. Undefined: nothing was acknowledged by then.
 */
export function longestGap(
  acks: readonly number[],
  from_ms: number,
  until_ms: number,
): ClientGap | undefined {
  let longest: ClientGap | undefined;
  for (const [index, begin_ms] of acks.entries()) {
    const end_ms = acks[index + 1] ?? Math.max(begin_ms, until_ms);
    if (end_ms < from_ms || begin_ms > until_ms) continue;
    if (longest === undefined || end_ms - begin_ms > longest.end_ms - longest.begin_ms)
      longest = { begin_ms, end_ms };
  }
  return longest;
}
