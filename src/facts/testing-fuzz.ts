import assert from "node:assert/strict";
import { DuetError } from "../base/problem.ts";
import { type MemberReading, readFiles } from "./facts.ts";
import { SegmentReader } from "./segment.ts";
import { snapshotName } from "./snapshot.ts";
import { memorySource } from "./source.ts";
import { type FileSet, memberFiles } from "./testing.ts";
import { fixtures } from "./testing-fixtures.ts";
import { action_kinds, History } from "./testing-history.ts";
import { Chance, mutations } from "./testing-mutate.ts";

/**
 * For tests: damages small WALs in memory and reads them. Reading may fail. If it gives facts, then
 * - all that was believed is byte for byte what was written: whole segments, and of the newest a number of whole records;
 * - what stands behind that in the newest segment is nothing but zeros, or one record of which a part is gone;
 * - the snapshot that was used is byte for byte what was written;
 * - and the facts are those of exactly that undamaged part.
 * So a fact may come from an older state of the log only where the newer part is gone as if it had never been written.
 */
export interface FuzzCase {
  readonly name: string;
  readonly files: FileSet;
  readonly borders: ReadonlyMap<string, readonly number[]>;
  readonly segment_bytes: number;
  readonly pristine: Map<string, string>;
}

export function corpus(): readonly FuzzCase[] {
  const recorded = fixtures().map(({ name, files }) => caseOf(name, files));
  const chance = new Chance(7);
  // Appends twice as often as the rest.
  const kinds = ["append", ...action_kinds] as const;
  const built = Array.from({ length: 12 }, (_, n) => {
    const steps = Array.from({ length: 30 }, () => ({
      kind: chance.of(kinds),
      a: chance.below(1000),
      b: chance.below(1000),
    }));
    return caseOf(`built${n}`, new History(steps).builder.files());
  });
  return [...recorded, ...built];
}

function caseOf(name: string, files: FileSet): FuzzCase {
  const borders = new Map<string, readonly number[]>();
  const segments = [...files.keys()].filter((path) => path.startsWith("wal/")).toSorted();
  let crc = 0;
  for (const path of segments) {
    const reader = new SegmentReader(memorySource(path, files.get(path) ?? new Uint8Array()), crc);
    const found = [0];
    while (reader.next().kind === "record") found.push(reader.offset);
    crc = reader.crc;
    borders.set(path, found);
  }
  const segment_bytes = files.get(segments.at(-1) ?? "")?.length ?? 0;
  return { name, files, borders, segment_bytes, pristine: new Map() };
}

/** Damages a case in one to three ways and reads it. */
export function fuzzOnce(
  cases: readonly FuzzCase[],
  chance: Chance,
): { outcome: string; how: readonly string[] } {
  const one = chance.of(cases);
  const files = new Map(one.files);
  const how: string[] = [one.name];
  const newest = [...one.borders.keys()].at(-1) ?? "";
  // As if etcd had mended the newest segment before: then it may be short.
  const mended = chance.below(3) === 0;
  if (mended) files.set(`${newest}.broken`, new Uint8Array());
  const other = chance.of(cases);
  const patient = { files, borders: one.borders, others: [other.files] };
  const names = Object.keys(mutations);
  for (let n = chance.of([0, 0, 0, 1, 2]); n >= 0; n -= 1) {
    const name = chance.of(names);
    how.push(name);
    if (files.size > 0) mutations[name]?.(patient, chance);
  }
  try {
    return { outcome: verdict(one, other, files), how };
  } catch (error) {
    throw new Error(how.join(", "), { cause: error });
  }
}

/** The error's code, or `facts`; throws where the facts are wrong, or on any other error. */
function verdict(one: FuzzCase, other: FuzzCase, files: FileSet): string {
  let reading: MemberReading;
  try {
    reading = readFiles(memberFiles(files), one);
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    const [problem] = error.problems;
    assert.match(problem?.where ?? "", /@\d+$/, "an error names file and offset");
    return problem?.code ?? "";
  }
  try {
    judge(one, files, reading);
  } catch (error) {
    // The whole WAL may have been replaced by that of the other member: then the facts are about that one.
    if (!(error instanceof assert.AssertionError) || !isRight(other, files, reading)) throw error;
  }
  return reading.facts.torn === undefined ? "facts" : "facts, torn";
}

function isRight(one: FuzzCase, files: FileSet, reading: MemberReading): boolean {
  try {
    judge(one, files, reading);
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) return false;
    throw error;
  }
}

function judge(one: FuzzCase, files: FileSet, reading: MemberReading): void {
  const believed = believedPart(one, files, reading);
  const { snapshot } = reading.facts;
  if (snapshot !== undefined) {
    const name = `snap/${snapshotName(snapshot)}`;
    assert.ok(same(files.get(name), one.files.get(name)), `a damaged ${name} was used`);
  }
  assert.equal(
    essence(reading),
    pristine(one, believed, files),
    "other facts than those of the undamaged part",
  );
}

interface Believed {
  /** Of the original, whatever they are called now: a name's numbers can't always be checked. */
  readonly segments: readonly string[];
  /** What they are called now. */
  readonly names: readonly string[];
  readonly offset: number;
}

/** Which part of the original the reader went by; throws where that part is not as it was. */
function believedPart(one: FuzzCase, files: FileSet, { scan }: MemberReading): Believed {
  const names = memberFiles(files).segments.map(({ source }) => source.path);
  const { path, offset, tornUntil } = scan.tail;
  const originals = [...one.borders.keys()];
  const segments = names.map((name) => {
    const bytes = files.get(name) ?? new Uint8Array();
    const found = originals.find((original) => {
      const whole = one.files.get(original) ?? new Uint8Array();
      const length = name === path ? offset : whole.length;
      return same(bytes.subarray(0, length), whole.subarray(0, length));
    });
    assert.ok(found !== undefined, `${name} was changed and believed`);
    if (name !== path) assert.ok(isZero(bytes, one.files.get(found)?.length ?? 0), `${name} is longer`);
    return found;
  });
  const first = originals.indexOf(segments[0] ?? "");
  assert.deepEqual(segments, originals.slice(first, first + segments.length), "segments in another order");

  const bytes = files.get(path) ?? new Uint8Array();
  const newest = segments.at(-1) ?? "";
  const borders = one.borders.get(newest) ?? [];
  assert.ok(borders.includes(offset), `${path}@${offset} is no border of records`);
  const next = borders[borders.indexOf(offset) + 1];
  const original = one.files.get(newest) ?? new Uint8Array();
  if (tornUntil === undefined) assert.ok(isZero(bytes, offset), "something behind the end was ignored");
  else assertTorn(bytes, original, offset, next);
  if (next !== undefined)
    assert.ok(
      !same(bytes.subarray(offset + 8, next), original.subarray(offset + 8, next)),
      "a record was left out that is whole but for its length",
    );
  return { segments, names, offset };
}

/**
 * One record, cut short at a sector's border or at the file's end, with only zeros behind; and if a record of the original
 * stood there, then a part of it is really gone. (That part may have been zeros itself: then a flipped bit before it looks the
 * same as a write that did not end.)
 */
function assertTorn(bytes: Uint8Array, original: Uint8Array, offset: number, next: number | undefined): void {
  let written = bytes.length;
  while (written > offset && bytes[written - 1] === 0) written -= 1;
  const border = Math.min(Math.ceil(written / 512) * 512, bytes.length);
  const frame = Buffer.from(bytes.subarray(offset, offset + 8));
  if (frame.length < 8) return;
  const end = offset + 8 + frame.readUIntLE(0, 6) + frame.readUInt8(6) * 2 ** 48;
  assert.ok(border < end, "more than one unfinished record was left out");
  // Another record, moved to this place and unfinished there: then the original's is gone anyway.
  if (next === undefined || !same(frame, original.subarray(offset, offset + 8))) return;
  const part_gone = bytes.length < next || (border < next && !isZero(original.subarray(0, next), border));
  const ends_in_zeros = isZero(original.subarray(0, next), Math.floor((next - 1) / 512) * 512);
  assert.ok(part_gone || ends_in_zeros, "a record of which nothing is gone was left out");
}

const isZero = (bytes: Uint8Array, from: number): boolean => bytes.subarray(from).every((byte) => byte === 0);

/** The facts of the undamaged part alone, with those snapshots that are undamaged. */
function pristine(one: FuzzCase, { segments, names, offset }: Believed, files: FileSet): string {
  const snapshots = [...one.files.keys()].filter(
    (name) => name.startsWith("snap/") && same(files.get(name), one.files.get(name)),
  );
  const key = JSON.stringify([segments, names, offset, snapshots]);
  const known = one.pristine.get(key);
  if (known !== undefined) return known;
  const part = new Map(snapshots.map((name) => [name, one.files.get(name) ?? new Uint8Array()]));
  for (const [n, segment] of segments.entries())
    part.set(names[n] ?? "", one.files.get(segment) ?? new Uint8Array());
  const bytes = new Uint8Array(Math.max(one.segment_bytes, offset));
  bytes.set((one.files.get(segments.at(-1) ?? "") ?? new Uint8Array()).subarray(0, offset));
  part.set(names.at(-1) ?? "", bytes);
  const facts = essence(readFiles(memberFiles(part), one));
  one.pristine.set(key, facts);
  return facts;
}

/** Everything but what damage may change: the torn record itself, sizes of files, the list of broken snapshots. */
function essence({ facts }: MemberReading): string {
  const { torn: _, snapshotsBroken: __, sizes, ...rest } = facts;
  return JSON.stringify({ ...rest, records: sizes.records }, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString(16) : value,
  );
}

const same = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(a, b) === 0;
