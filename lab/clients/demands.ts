import type { Flight, Found, Verdict } from "./status.ts";

/** So many writes are in flight at any time, while etcd serves. */
export const in_flight = 128;
/**
 * A connection that breaks ends all its writes at once, and a busy box lets clients wait before they send the next: for moments there
 * are fewer. Closed loops of 160 clients held 128 for 99.9 % of the time on two cores with a load of 18, of 128 clients for 98 %.
 */
export const held_share_min = 0.99;

/** What the clients themselves owe a story: that they were as many as is said, and read where it is said. Sentences, none where all is well. */
export function demands(
  found: Pick<Found, "machines">,
  { flight }: Pick<Verdict, "flight">,
): readonly string[] {
  return [...(flight === undefined ? [] : ofFlight(flight)), ...ofReads(found.machines)];
}

function ofFlight({ wanted, owed_us, held_us, fewest }: Flight): readonly string[] {
  if (owed_us === 0) return [`${wanted} writes were never in flight while etcd acknowledged any`];
  if (held_us >= held_share_min * owed_us) return [];
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
