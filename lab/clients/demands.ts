import type { Flight, Found, Verdict } from "./status.ts";

/** So many writes are in flight at any time, while etcd serves. */
export const in_flight = 128;
/**
 * A client that has its answer may wait for a core before it sends its next write: on the two cores that play both machines, with a load of
 * 50 beside, that made up to 67 ms at a time, and 0.4 % of a story. In one that is served for two seconds a single such moment is more.
 */
const held_share_min = 0.99;
const missing_us_max = 250_000;

/** What the clients themselves owe a story: that they were as many as is said, and read where it is said. Sentences, none where all is well. */
export function demands(
  found: Pick<Found, "machines">,
  { flight }: Pick<Verdict, "flight">,
): readonly string[] {
  return [...(flight === undefined ? [] : ofFlight(flight)), ...ofReads(found.machines)];
}

function ofFlight({ wanted, owed_us, held_us, fewest }: Flight): readonly string[] {
  if (owed_us === 0) return [`${wanted} writes were never in flight while etcd acknowledged any`];
  if (held_us >= held_share_min * owed_us || owed_us - held_us <= Math.min(missing_us_max, owed_us / 4))
    return [];
  const share = ((100 * held_us) / owed_us).toFixed(1);
  return [
    `${wanted} writes were in flight for only ${share} % of the time in which etcd served, and once ${fewest}`,
  ];
}

/** Whoever answers the judge has a vote: nobody else is asked linearizably and answers. */
const ofReads = (machines: Found["machines"]): readonly string[] =>
  machines.flatMap(({ name, silent, linearizable }) =>
    silent === undefined && linearizable === 0
      ? [`${name} has a vote, and no client has read linearizably there`]
      : [],
  );
