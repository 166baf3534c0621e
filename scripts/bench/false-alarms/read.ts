/** What Corosync counts since it started. */
export interface Counts {
  /** The token went round, and then did not. */
  readonly tokens_lost: number;
  /** How often the machines formed a ring anew. */
  readonly memberships: number;
}

/** From `corosync-cmapctl -m stats`. A figure that is not there is an error: a count that is never seen would look like none. */
export function countsIn(stats: string): Counts {
  const count = (key: string): number => {
    const found = new RegExp(`^stats\\.srp\\.${key} \\(u64\\) = (\\d+)$`, "m").exec(stats)?.[1];
    if (found === undefined) throw new Error(`corosync-cmapctl says nothing of stats.srp.${key}`);
    return Number(found);
  };
  return { tokens_lost: count("operational_token_lost"), memberships: count("operational_entered") };
}

export interface Alarms {
  /** How often the peer was out of the membership. A ring that is formed anew with both in it takes nobody for dead. */
  readonly losses: number;
  readonly fences: number;
  readonly late_ms: readonly number[];
}

/** From the journal of Corosync and Pacemaker: losses, fences that were asked for, and each time that Corosync ran late. */
export function alarmsIn(journal: string): Alarms {
  return {
    losses: [...journal.matchAll(/A new membership \(\S+\) was formed\. Members .*\bleft: \d/g)].length,
    fences: [...journal.matchAll(/Requesting fencing \(off\) targeting node/g)].length,
    late_ms: [...journal.matchAll(/main process was not scheduled .*?for ([\d.]+) ms/g)].map(([, ms]) =>
      Number(ms),
    ),
  };
}
