import { type MachineName, machine_names, otherThan } from "../src/scenario/slots.ts";
import type { LogFollower } from "./log-follower.ts";

export type Logs = Readonly<Record<MachineName, SeenLog>>;
export type SeenLog = Pick<LogFollower, "sighted" | "memberId">;

/** A moment that has come. */
export interface Met {
  /** Who promotes, and who is promoted. */
  readonly leader: MachineName;
  readonly joiner: MachineName;
  readonly memberId: bigint;
  /** Of the entry that was waited for. */
  readonly index: number;
  readonly inBoth: boolean;
  /** Why it is over already. */
  readonly late: string | undefined;
}

/**
 * The promote entry: when it stands in both logs, and no marker in either. (That it is committed the joiner may know at once: of one
 * voter an etcd 3.5 tells so before its own sync.) The marker write: when it stands in the log of the one that promoted. Entries up to
 * `after` are of a promotion before.
 */
export function comesIn(moment: "promote" | "marker", logs: Logs, after: number): Met | undefined {
  for (const joiner of machine_names) {
    const met = promotionOf(joiner, logs, after);
    if (met === undefined) continue;
    const [mine, theirs] = [markerBehind(met.index, logs[joiner]), markerBehind(met.index, logs[met.leader])];
    if (moment === "promote")
      return {
        ...met,
        late: (mine ?? theirs) === undefined ? undefined : `${joiner} has written its marker`,
      };
    return theirs === undefined ? undefined : { ...met, index: theirs, inBoth: mine === theirs };
  }
  return undefined;
}

function promotionOf(joiner: MachineName, logs: Logs, after: number): Met | undefined {
  const leader = otherThan(joiner);
  const { sighted, memberId } = logs[joiner];
  const entry = sighted.findLast(
    (each) => each.what === "promote" && each.index > after && each.memberId === memberId,
  );
  const isInBoth = logs[leader].sighted.some(
    ({ what, index, term }) => what === "promote" && index === entry?.index && term === entry.term,
  );
  if (entry === undefined || memberId === undefined || !isInBoth) return undefined;
  return { leader, joiner, memberId, index: entry.index, inBoth: true, late: undefined };
}

const markerBehind = (promotion: number, { sighted }: SeenLog): number | undefined =>
  sighted.find(({ what, index }) => what === "marker" && index > promotion)?.index;
