import { fail } from "../base/problem.ts";

/** The names of a WAL's segments, in order. */
export interface SegmentName {
  readonly name: string;
  readonly sequence: number;
  readonly index: number;
  readonly mended: boolean;
}

const form = /^([0-9a-f]{16})-([0-9a-f]{16})\.wal$/;

/**
 * Finds the segments among the names in a WAL's folder. `*.tmp` are segments that etcd made ready and never used,
 * `*.broken` are its copies from before a repair: both say nothing. Everything else that looks like a part of a WAL and
 * does not fit is an error, since a missing segment is missing writes.
 */
export function segmentNames(folder: string, names: readonly string[]): readonly SegmentName[] {
  const found: SegmentName[] = [];
  for (const name of names.filter((each) => each.endsWith(".wal")).toSorted()) {
    const match = form.exec(name);
    const [sequence, index] = [match?.[1], match?.[2]].map((hex) => Number.parseInt(hex ?? "", 16));
    if (!Number.isSafeInteger(sequence) || !Number.isSafeInteger(index))
      misnamed(folder, name, "is not named as etcd names a segment");
    else
      found.push({
        name,
        sequence: sequence ?? 0,
        index: index ?? 0,
        mended: names.includes(`${name}.broken`),
      });
  }
  if (found.length === 0) misnamed(folder, "", "holds no segment of a WAL");
  for (const [n, segment] of found.entries()) {
    const before = found[n - 1];
    if (before !== undefined && segment.sequence !== before.sequence + 1)
      misnamed(
        folder,
        segment.name,
        `does not follow ${before.name}: a segment between them is missing or was renamed`,
      );
  }
  const odd = found.find(({ sequence, index }) => (sequence === 0) !== (index === 0));
  if (odd !== undefined)
    misnamed(folder, odd.name, "only the first segment of all, and that one always, begins at entry 0");
  return found;
}

function misnamed(folder: string, name: string, what: string): never {
  fail(
    "DUET-E-WAL-FILES",
    name === "" ? `${folder}@0` : `${folder}/${name}@0`,
    what,
    "see what renamed or removed files here; duet does not guess which are missing",
  );
}
