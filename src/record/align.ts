import { firstOf, lastOf, type Moment, moments, numberIn, type Segment, wallAt_ms } from "./segment.ts";
import { sameJoinForSure, type Shared } from "./skew.ts";

/** How one segment's clock is brought to another's: add `offset_ms`. */
export interface Alignment {
  readonly offset_ms: number;
  /** It may be wrong by so much; undefined: nobody can tell. */
  readonly within_ms: number | undefined;
  readonly how: "the same clock" | "what both saw" | "the wall clocks";
  /** By how much the wall clocks of the two disagree with it. */
  readonly wall_ms: number;
}

/**
 * Lines up two segments. Both machines see a membership that they are both in: each says when it saw it, and since when
 * it can have been so, which bounds the offset from both sides. What one did cannot come before what the other did it on, which
 * bounds it further. Without any of that, or where it contradicts itself, there are only the wall clocks.
 */
export function align(to: Segment, from: Segment, shared: Shared): Alignment {
  if (to === from) return { offset_ms: 0, within_ms: 0, how: "the same clock", wall_ms: 0 };
  const wall_ms = wallOffset(to, from);
  const byWall: Alignment = { offset_ms: wall_ms, within_ms: undefined, how: "the wall clocks", wall_ms: 0 };
  if (to.machine === from.machine) return byWall;
  const { skew_ms } = shared;
  // A ring has a name, and a join that was only seen has none: with the first the second tells nothing more, and may be another.
  const rings = byRing(to, from);
  const pairs = rings.length > 0 ? rings : byTime(to, from, shared);
  const [first] = pairs;
  // In other boots they shared some: so far as is known the clocks were as far apart in this one.
  const bySkew: Alignment = { ...byWall, offset_ms: wall_ms + skew_ms, wall_ms: -skew_ms };
  if (first === undefined) return bySkew;
  const guess = first.to.at_ms - first.from.at_ms;
  const bounds = [...(rings.length > 0 ? [ofRings(rings)] : pairs.map(ofPair)), ...causes(to, from, pairs)];
  const low = Math.max(...bounds.map(([least]) => least));
  const high = Math.min(...bounds.map(([, most]) => most));
  if (low > high) return bySkew;
  const offset_ms = Math.min(Math.max(guess, low), high);
  const within_ms = Math.max(offset_ms - low, high - offset_ms);
  return {
    offset_ms,
    within_ms: Number.isFinite(within_ms) ? within_ms : undefined,
    how: "what both saw",
    wall_ms: wall_ms - offset_ms,
  };
}

/** By the wall clocks as they were when the other segment ended: a clock that is set at boot is right by then. */
function wallOffset(to: Segment, from: Segment): number {
  const wall = wallAt_ms(from, lastOf(from));
  const [first, last] = [firstOf(to), lastOf(to)];
  const nearest = wall < wallAt_ms(to, first) ? first : last;
  return wall - (wallAt_ms(to, nearest) - nearest) - lastOf(from);
}

interface Pair {
  readonly to: Moment;
  readonly from: Moment;
}
type Bounds = readonly [least: number, most: number];

/** The same membership, by its ring. */
function byRing(to: Segment, from: Segment): readonly Pair[] {
  const ringOf = ({ entry }: Moment) => entry.detail["ring"];
  const joined = (segment: Segment) =>
    moments(segment, "membership").filter(({ entry }) => entry.detail["peer"] === true);
  return joined(from).flatMap((theirs) => {
    const mine = joined(to).find((each) => ringOf(each) === ringOf(theirs));
    return mine === undefined ? [] : [{ to: mine, from: theirs }];
  });
}

/** The same join, by the difference of the wall clocks that explains the most joins. */
function byTime(to: Segment, from: Segment, shared: Shared): readonly Pair[] {
  return shared.theirs
    .filter(({ segment }) => segment === from)
    .flatMap((join) => {
      const same = sameJoinForSure(shared, join);
      return same?.segment === to ? [{ to: same, from: join }] : [];
    });
}

/** The two form a ring together, each when it is run: on busy machines that is so far apart. */
const ring_ms = 250;

function ofRings(rings: readonly Pair[]): Bounds {
  const guesses = rings.map(({ to, from }) => to.at_ms - from.at_ms);
  return [Math.min(...guesses) - ring_ms, Math.max(...guesses) + ring_ms];
}

/** Each saw it at its time, and at most `within_ms` late. */
function ofPair({ to, from }: Pair): Bounds {
  const late = ({ entry }: Moment) => numberIn(entry, "within_ms", Number.POSITIVE_INFINITY);
  const guess = to.at_ms - from.at_ms;
  return [guess - late(to), guess + late(from)];
}

/** What cannot come before what. The times of the joins tell which of several causes is meant. */
function causes(to: Segment, from: Segment, pairs: readonly Pair[]): readonly Bounds[] {
  const found: Bounds[] = [];
  const sorted = pairs.toSorted((a, b) => a.from.at_ms - b.from.at_ms);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return found;
  const offs = moments(to, "off confirmed");
  // Who was off, and then joined, has booted in between.
  const off = offs.findLast(({ at_ms }) => at_ms < first.to.at_ms);
  if (off !== undefined) found.push([off.at_ms - firstOf(from), Number.POSITIVE_INFINITY]);
  // Who is off writes nothing any more.
  const fenced = offs.find(({ at_ms }) => at_ms > last.to.at_ms);
  if (fenced !== undefined) found.push([Number.NEGATIVE_INFINITY, fenced.at_ms - lastOf(from)]);
  // It is full before the other can see two that are whole.
  const [full] = moments(from, "full");
  const joined = sorted.findLast((pair) => full !== undefined && pair.from.at_ms <= full.at_ms);
  if (full === undefined || joined === undefined) return found;
  const already = moments(from, "1+1").some(({ at_ms }) => at_ms >= joined.from.at_ms && at_ms < full.at_ms);
  const whole = moments(to, "1+1").find(({ at_ms }) => at_ms > joined.to.at_ms);
  if (!already && whole !== undefined) found.push([Number.NEGATIVE_INFINITY, whole.at_ms - full.at_ms]);
  return found;
}
