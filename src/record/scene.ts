import { align } from "./align.ts";
import type { EventName, Told } from "./entry.ts";
import type { Episode } from "./episode.ts";
import type { Segment } from "./segment.ts";
import { sharedJoins } from "./skew.ts";
import type { LinedUp } from "./timeline.ts";

/** What a machine wrote before the loss tells when it was still there; what is older does not. */
export const before_ms = 30_000;

/** An entry with its time in the failover. */
export interface Placed<T extends Told = Told> {
  readonly at_ms: number;
  readonly entry: T;
}

/** A failover with all that both machines wrote meanwhile, in the order of the survivor's clock. */
export interface Scene {
  readonly episode: Episode;
  readonly survivor: string;
  readonly gone: string;
  /** Is the record of the machine that was lost there, too? */
  readonly bothTell: boolean;
  readonly placed: readonly Placed[];
  readonly clocks: readonly LinedUp[];
}

export function sceneOf(episode: Episode, segments: readonly Segment[]): Scene {
  const { segment, zero_ms, until_ms } = episode;
  const survivor = segment.machine;
  const placed: Placed[] = [];
  const clocks: LinedUp[] = [];
  const others = [...new Set(segments.map(({ machine }) => machine))];
  const shared = new Map(others.map((name) => [name, sharedJoins(segments, survivor, name)]));
  for (const each of segments) {
    const joins = shared.get(each.machine);
    if (joins === undefined) continue;
    const alignment = align(segment, each, joins);
    const at = (entry: Told) => entry.mono_ms - agoOf(entry) + alignment.offset_ms;
    // What the survivor wrote in an earlier boot is another story; what it wrote after a crash in this one is not.
    const from_ms = each.machine === survivor ? zero_ms : zero_ms - before_ms;
    const within = each.entries
      .filter((entry) => at(entry) < until_ms)
      .filter(
        (entry) =>
          at(entry) >= from_ms || (each === segment && isOmen(entry) && at(entry) >= zero_ms - before_ms),
      )
      .map((entry) => ({ entry, at_ms: at(entry) - zero_ms }));
    if (within.length === 0) continue;
    placed.push(...within);
    if (each !== segment)
      clocks.push({
        machine: each.machine,
        boot: each.boot,
        from_ms: within[0]?.at_ms ?? 0,
        to_ms: within.at(-1)?.at_ms ?? 0,
        ...alignment,
      });
  }
  placed.sort((a, b) => a.at_ms - b.at_ms);
  const gone =
    peerOf(segment) ?? segments.find((each) => each.machine !== survivor && !isOutside(each))?.machine;
  const bothTell = segments.some(({ machine }) => machine === gone);
  return { episode, survivor, gone: gone ?? "its peer", bothTell, placed, clocks };
}

/** What belongs to a loss, and comes before it is one: an admin's word may be what it came of. */
const isOmen = (entry: Told): boolean => entry.kind === "event" && omens.has(entry.event);
const omens: ReadonlySet<EventName> = new Set(["token lost", "peer lost", "admin"]);

/** Who only tells of losses is neither of the two. */
const isOutside = ({ entries }: Segment): boolean =>
  entries.every((entry) => entry.kind === "event" && entry.event === "lost");

const agoOf = (entry: Told): number => {
  const ago = entry.kind === "event" ? entry.detail["ago_ms"] : 0;
  return typeof ago === "number" ? ago : 0;
};

const peerOf = ({ entries }: Segment): string | undefined =>
  entries.find((entry) => entry.kind === "decision")?.facts.peerName;
