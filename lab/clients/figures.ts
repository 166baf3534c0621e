import type { Found, Status, Verdict } from "./status.ts";

const seconds = (us: number): string => `${(us / 1_000_000).toFixed(1)} s`;

/** One line for people: what the clients did, that nothing is missing, and what they went through. */
export function figuresOf(status: Status, found: Found, verdict: Verdict): string {
  const held = found.machines.filter(({ silent }) => silent === undefined).map(({ name }) => name);
  const stale = Object.entries(status.endpoints).map(
    ([name, { serializable_gap_us: gap_us }]) => `${seconds(gap_us)} at ${name}`,
  );
  return [
    `${found.acknowledged} writes acknowledged, all found on ${held.join(" and ")}`,
    `128 in flight for ${Math.round((100 * status.full_us) / status.now_us)} % of the time`,
    `${found.open} left open, ${found.open_happened} of them happened`,
    `${verdict.operations} operations linearizable, judged in ${seconds(verdict.took_ms * 1000)}`,
    `longest time without a write ${seconds(status.gap_us)}`,
    `longest write ${seconds(status.longest_us)}`,
    `longest time without a serializable read ${stale.join(", ")}`,
  ].join("; ");
}
