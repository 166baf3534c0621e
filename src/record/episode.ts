import { lastOf, type Moment, moments, numberIn, type Segment, wallAt_ms } from "./segment.ts";

/** Where in one machine's record a failover stands. Times are of that segment. */
export interface Episode {
  readonly segment: Segment;
  /** When the loss was detected; without one, when the takeover began. */
  readonly zero_ms: number;
  readonly detected_ms: number | undefined;
  readonly takeover_ms: number | undefined;
  readonly epoch: number | undefined;
  /** The next loss or takeover, or what is after the record's end. */
  readonly until_ms: number;
}

/** Every loss of the peer and every takeover of these segments, the oldest first. */
export function episodesOf(segments: readonly Segment[]): readonly Episode[] {
  const found = segments.flatMap((segment) => inSegment(segment));
  const tookOver = found.filter(({ takeover_ms }) => takeover_ms !== undefined);
  // With the wire cut both machines lose each other: that is one failover, the one of who took over.
  const apart = found.filter(
    (each) => each.takeover_ms !== undefined || !tookOver.some((other) => overlap(each, other)),
  );
  return apart.toSorted((a, b) => wall(a) - wall(b));
}

const wall = ({ segment, zero_ms }: Episode): number => wallAt_ms(segment, zero_ms);

function overlap(one: Episode, other: Episode): boolean {
  if (one.segment.machine === other.segment.machine) return false;
  const end = (each: Episode) => wallAt_ms(each.segment, Math.min(each.until_ms, lastOf(each.segment)));
  return wall(one) <= end(other) && wall(other) <= end(one);
}

function inSegment(segment: Segment): readonly Episode[] {
  const begins = losses(segment);
  const takeovers = moments(segment, "takeover begins");
  const zeros = begins.map((at_ms) => ({ at_ms, lost: true }));
  for (const { at_ms, entry } of takeovers) {
    const last = zeros.findLast((zero) => zero.at_ms <= at_ms);
    // A second takeover without a loss between, such as one after a surrender, is a story of its own.
    const told =
      last !== undefined &&
      !takeovers.some(
        (each) =>
          each.at_ms >= last.at_ms &&
          each.at_ms < at_ms &&
          each.entry.detail["epoch"] !== entry.detail["epoch"],
      ) &&
      backBetween(segment, last.at_ms, at_ms) === undefined;
    if (!told) zeros.push({ at_ms, lost: false });
  }
  zeros.sort((a, b) => a.at_ms - b.at_ms);
  return zeros.map(({ at_ms, lost }, index) => {
    const until_ms = zeros[index + 1]?.at_ms ?? lastOf(segment) + 1;
    const takeover = takeovers.find((each) => each.at_ms >= at_ms && each.at_ms < until_ms);
    const epoch = takeover === undefined ? 0 : numberIn(takeover.entry, "epoch", 0);
    return {
      segment,
      zero_ms: at_ms,
      detected_ms: lost ? at_ms : undefined,
      takeover_ms: takeover?.at_ms,
      epoch: takeover === undefined ? undefined : epoch,
      until_ms,
    };
  });
}

const backBetween = (segment: Segment, from_ms: number, until_ms: number): number | undefined =>
  moments(segment, "peer back").find(({ at_ms }) => at_ms > from_ms && at_ms < until_ms)?.at_ms;

/** By Corosync's own word about this membership, where the record has it; otherwise when duet saw it. */
function formed_ms(segment: Segment, { at_ms, entry }: Moment): number {
  const { ring } = entry.detail;
  const least_ms = at_ms - numberIn(entry, "within_ms", 0);
  const apart = moments(segment, "membership").filter((each) => each.entry.detail["peer"] === false);
  const formed = apart.findLast((each) =>
    ring === undefined ? each.at_ms >= least_ms && each.at_ms <= at_ms : each.entry.detail["ring"] === ring,
  );
  return formed?.at_ms ?? at_ms;
}

/** Each part of duet tells of a loss: those with no return between them are one, detected when the earliest says. */
function losses(segment: Segment): readonly number[] {
  const found: number[] = [];
  let away = false;
  let back_ms = Number.NEGATIVE_INFINITY;
  for (const moment of moments(segment, "peer lost", "peer back", "peer left")) {
    const { at_ms, entry } = moment;
    if (entry.event === "peer lost") {
      if (!away) found.push(Math.max(formed_ms(segment, moment), back_ms));
      away = true;
    } else {
      away = entry.event === "peer left";
      back_ms = at_ms;
    }
  }
  return found;
}
