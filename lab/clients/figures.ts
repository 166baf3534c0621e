import type { Flight, Found, Status, Verdict } from "./status.ts";

const seconds = (us: number): string => `${(us / 1_000_000).toFixed(1)} s`;

/** One line for people: what the clients did, that nothing is missing, and what they went through. */
export function figuresOf(status: Status, found: Found, verdict: Verdict): string {
  const answering = found.machines.filter(({ silent }) => silent === undefined);
  const held = answering.map(({ name }) => name);
  const reads = answering.map(({ name, linearizable }) => `${linearizable} by ${name}`);
  const stale = Object.entries(status.endpoints).map(
    ([name, { serializable_gap_us: gap_us }]) => `${seconds(gap_us)} at ${name}`,
  );
  return [
    `${found.acknowledged} writes acknowledged, all found on ${held.join(" and ")}`,
    ...(verdict.flight === undefined ? [] : [flightOf(verdict.flight)]),
    `linearizable reads answered: ${reads.join(", ")}`,
    `${found.open} left open, ${found.open_happened} of them happened`,
    `${verdict.operations} operations linearizable, judged in ${seconds(verdict.took_ms * 1000)}`,
    `longest time without a write ${seconds(status.gap_us)}`,
    `longest write ${seconds(status.longest_us)}`,
    `longest time without a serializable read ${stale.join(", ")}`,
  ].join("; ");
}

/** Rounded down: 100 % is said of nothing less. */
function flightOf({ wanted, owed_us, held_us, fewest }: Flight): string {
  const share = (Math.floor((1000 * held_us) / owed_us) / 10).toFixed(1);
  return `${wanted} in flight for ${share} % of the ${seconds(owed_us)} in which etcd served, and once ${fewest}`;
}
