import { type Moment, moments, type Segment, wallAt_ms } from "./segment.ts";

/** Two sightings of one join may be so far apart: a monitor comes by every ten seconds, the notification may be lost. */
const same_ms = 12_000;
const joins_max = 64;

/** A membership with both machines in it, as one of them saw it. */
export interface Join extends Moment {
  readonly segment: Segment;
  readonly wall_ms: number;
}

/** The joins of two machines, and how far apart their wall clocks are by them. */
export interface Shared {
  readonly mine: readonly Join[];
  readonly theirs: readonly Join[];
  /** The first one's wall clock is so far ahead; 0 where nobody knows. */
  readonly skew_ms: number;
}

export function sharedJoins(segments: readonly Segment[], machine: string, other: string): Shared {
  const [mine, theirs] = [joinsOf(segments, machine), joinsOf(segments, other)];
  return { mine, theirs, skew_ms: skewOf(mine, theirs) ?? 0 };
}

/** The last joins that a machine saw, over all its boots. */
function joinsOf(segments: readonly Segment[], machine: string): readonly Join[] {
  const found = segments
    .filter((segment) => segment.machine === machine)
    .flatMap((segment) =>
      moments(segment, "peer back").map((moment) => ({
        ...moment,
        segment,
        wall_ms: wallAt_ms(segment, moment.at_ms),
      })),
    );
  return found.slice(-joins_max);
}

/**
 * By how much the wall clock of `to` is ahead of that of `from`: the difference under which the most joins of one are joins of
 * the other, and of those the smallest. Undefined: they share none.
 */
function skewOf(to: readonly Join[], from: readonly Join[]): number | undefined {
  let best: { readonly skew_ms: number; readonly shared: number } | undefined;
  for (const mine of to)
    for (const theirs of from) {
      const skew_ms = mine.wall_ms - theirs.wall_ms;
      const shared = from.filter((each) => sameJoin(to, each, skew_ms) !== undefined).length;
      const better =
        best === undefined ||
        shared > best.shared ||
        (shared === best.shared && Math.abs(skew_ms) < Math.abs(best.skew_ms));
      if (better) best = { skew_ms, shared };
    }
  return best?.skew_ms;
}

/**
 * The join that both saw, if it is beyond doubt. A wire that flaps brings several at once, and each machine may miss some: then
 * nobody can tell which is which.
 */
export function sameJoinForSure({ mine, theirs, skew_ms }: Shared, join: Join): Join | undefined {
  const same = sameJoin(mine, join, skew_ms);
  if (same === undefined) return undefined;
  const near = ({ wall_ms }: Join, at_ms: number) => Math.abs(wall_ms - at_ms) <= 2 * same_ms;
  const others = [
    ...mine.filter((each) => each !== same && near(each, same.wall_ms)),
    ...theirs.filter((each) => each !== join && near(each, join.wall_ms)),
  ];
  return others.length === 0 ? same : undefined;
}

/** The join of `to` that is likely this one. */
function sameJoin(to: readonly Join[], theirs: Join, skew_ms: number): Join | undefined {
  const distance = (mine: Join) => Math.abs(mine.wall_ms - theirs.wall_ms - skew_ms);
  let nearest: Join | undefined;
  for (const mine of to) if (nearest === undefined || distance(mine) < distance(nearest)) nearest = mine;
  return nearest === undefined || distance(nearest) > same_ms ? undefined : nearest;
}
