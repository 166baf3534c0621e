import { fail } from "../base/problem.ts";
import type { ChangeEntry, Segment, VersionEntry, WalScan } from "./wal.ts";

export interface LogPoint {
  readonly index: number;
  readonly term: number;
}

/** The log as etcd would have it after a start: what follows the snapshot, without what was replaced. */
export interface Log {
  readonly first: LogPoint | undefined;
  /** The newest entry; the snapshot, where the log holds nothing after it; zeros in a log that never had anything. */
  readonly last: LogPoint;
  readonly changes: readonly ChangeEntry[];
  readonly versions: readonly VersionEntry[];
}

interface Part {
  readonly run: number;
  readonly term: number;
  readonly first: number;
  readonly last: number;
}

/** The segment that etcd begins to read at: the last one whose name does not begin after the snapshot. */
function startSegment(segments: readonly Segment[], index: number): number {
  return segments.findLastIndex((segment) => segment.index <= index);
}

/**
 * Plays the entries after `start` in the order of writing, as etcd's `ReadAll` does. So an entry at or before `start` replaces
 * nothing after it: where a log was shortened to exactly its snapshot, etcd would read the replaced entries again. Their
 * lower term gives that away, and we refuse.
 */
export function replay(scan: WalScan, segments: readonly Segment[], start: LogPoint): Log {
  const from = startSegment(segments, start.index);
  if (from < 0)
    unsound(
      segments,
      `there is no segment that begins at or before entry ${start.index}, and no snapshot after it`,
    );
  if (!scan.snapshots.some((s) => s.segment >= from && s.index === start.index && s.term === start.term))
    unsound(segments, `no record in segment ${from} or after it names the snapshot at ${start.index}`);
  const parts: Part[] = [];
  for (const [run, { segment, term, first, last }] of scan.runs.entries()) {
    if (segment < from || last <= start.index) continue;
    const begin = Math.max(first, start.index + 1);
    // A later entry replaces the one of the same index and all that followed it.
    while ((parts.at(-1)?.first ?? 0) >= begin) parts.pop();
    const before = parts.pop();
    if (before !== undefined) parts.push({ ...before, last: Math.min(before.last, begin - 1) });
    const end = parts.at(-1)?.last ?? start.index;
    if (begin > end + 1) unsound(segments, `entries ${end + 1} to ${begin - 1} are missing`);
    parts.push({ run, term, first: begin, last });
  }
  return checked(scan, segments, start, parts);
}

function checked(scan: WalScan, segments: readonly Segment[], start: LogPoint, parts: readonly Part[]): Log {
  let { term } = start;
  for (const part of parts) {
    if (part.term < term)
      unsound(segments, `entry ${part.first} has term ${part.term} after an entry of term ${term}`);
    term = part.term;
  }
  const [oldest] = parts;
  const newest = parts.at(-1);
  const last = newest === undefined ? start : { index: newest.last, term: newest.term };
  if (scan.hardState.commit > last.index)
    unsound(
      segments,
      `entries up to ${scan.hardState.commit} were committed, and the log ends at ${last.index}: its tail is lost`,
    );
  const spans = new Map(parts.map((part) => [part.run, part]));
  const inside = ({ run, index }: Pick<ChangeEntry, "run" | "index">) => {
    const span = spans.get(run);
    return span !== undefined && index >= span.first && index <= span.last;
  };
  return {
    first: oldest === undefined ? undefined : { index: oldest.first, term: oldest.term },
    last,
    changes: scan.changes.filter(inside),
    versions: scan.versions.filter(inside),
  };
}

function unsound(segments: readonly Segment[], what: string): never {
  const newest = segments.at(-1)?.source;
  fail(
    "DUET-E-WAL-LOG",
    `${newest?.path}@${newest?.size}`,
    what,
    "keep the folder as it is; let this machine join again with empty data while its peer serves",
  );
}
