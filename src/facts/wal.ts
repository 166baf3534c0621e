import { fail } from "../base/problem.ts";
import {
  decodeClusterVersion,
  decodeHardState,
  decodeMetadata,
  decodeSnapshotRecord,
  type HardState,
  type SnapshotRecord,
} from "./messages.ts";
import { frame_bytes, record_type, SegmentReader, type Step } from "./segment.ts";
import type { ByteSource } from "./source.ts";
import { WireError } from "./wire.ts";

/** etcd makes each segment this long before it writes to it, and begins the next one only when this one is full. */
export const segment_bytes = 64_000_000;

/** One file of the WAL. */
export interface Segment {
  readonly source: ByteSource;
  /** The two numbers in its name: its place, and the index that it begins with. */
  readonly sequence: number;
  readonly index: number;
  /** etcd mended it once and keeps what it was as `NAME.broken`: only then may it be shorter than `segment_bytes`. */
  readonly mended: boolean;
}

/** Entries that were written one after the other: a new run begins where index or term do not simply go on. */
export interface Run {
  readonly segment: number;
  readonly term: number;
  readonly first: number;
  last: number;
}

export interface ChangeEntry {
  readonly run: number;
  readonly index: number;
  readonly v2: boolean;
  readonly payload: Uint8Array;
}

/** Sets the version that the cluster works by. */
export interface VersionEntry {
  readonly run: number;
  readonly index: number;
  readonly version: string;
}

/** Everything that one pass over the segments gives. */
export interface WalScan {
  readonly memberId: bigint;
  readonly clusterId: bigint;
  readonly hardState: HardState;
  /** In the order of writing: a later run replaces what earlier ones hold from its first index on. */
  readonly runs: readonly Run[];
  readonly changes: readonly ChangeEntry[];
  readonly versions: readonly VersionEntry[];
  readonly snapshots: readonly (SnapshotRecord & { readonly segment: number })[];
  readonly records: number;
  readonly tail: Tail;
}

/** Where the next record would go. */
export interface Tail {
  readonly path: string;
  readonly offset: number;
  readonly crc: number;
  /** Behind `offset` stands a record that was never finished; its bytes reach to here. */
  readonly tornUntil: number | undefined;
}

export interface ScanLimits {
  readonly segment_bytes: number;
}

/** Each is some ten bytes here and hundreds in the WAL: more than this is no WAL that an etcd wrote. */
const runs_max = 1_000_000;
const changes_max = 10_000;
const snapshots_max = 1_000_000;
/** How often a log that grows is read on. */
const looks_max = 4;

interface Wrong {
  readonly why: string;
  /** A record that was never written to its end, with nothing behind it. */
  readonly torn: boolean;
}

function whatIsWrong(
  reader: SegmentReader,
  step: Exclude<Step, { readonly kind: "record" }>,
): Wrong | undefined {
  if (step.kind === "broken") return { why: step.why, torn: reader.isTorn() };
  const zeros = reader.zerosFrom();
  if (zeros === reader.offset) return undefined;
  return { why: `the log ends here, but there are bytes behind it, up to ${zeros}`, torn: false };
}

const unread = "keep the folder as it is; let this machine join again with empty data while its peer serves";

function damaged(source: ByteSource, offset: number, what: string): never {
  fail("DUET-E-WAL-DAMAGED", `${source.path}@${offset}`, what, unread);
}

function foreign(source: ByteSource, offset: number, what: string): never {
  fail(
    "DUET-E-WAL-FOREIGN",
    `${source.path}@${offset}`,
    what,
    "see who put this file here; duet does not touch it",
  );
}

function truncated(source: ByteSource, wanted_bytes: number): never {
  fail(
    "DUET-E-WAL-TRUNCATED",
    `${source.path}@${source.size}`,
    `the newest segment ends here; etcd makes each ${wanted_bytes} bytes long, and there is no \`.broken\` file that says it mended this one`,
    unread,
  );
}

/** Reads all records of all segments, in order, each checked against the rolling checksum. */
export function scanWal(segments: readonly Segment[], limits: ScanLimits = { segment_bytes }): WalScan {
  const scan = new Scan();
  for (const [number, segment] of segments.entries())
    scan.segment(segment, number, number === segments.length - 1, limits);
  return scan.result();
}

class Scan {
  #ids: { memberId: bigint; clusterId: bigint } | undefined;
  #hardState: HardState = { term: 0, vote: 0n, commit: 0 };
  readonly #runs: Run[] = [];
  readonly #changes: ChangeEntry[] = [];
  readonly #versions: VersionEntry[] = [];
  readonly #snapshots: (SnapshotRecord & { segment: number })[] = [];
  #records = 0;
  #written = 0;
  #tail: Tail | undefined;

  segment(segment: Segment, number: number, isLast: boolean, limits: ScanLimits): void {
    const { source } = segment;
    const reader = new SegmentReader(source, this.#tail?.crc ?? 0);
    this.#begin(reader, number);
    if (number > 0) this.#named(segment);
    const wrong = this.#walk(reader, number, isLast);
    // etcd writes without a gap: what is missing behind zeros was zero. On a full disk it leaves a segment like that.
    const endsInZeros = wrong === undefined && source.size - reader.offset >= frame_bytes;
    if (isLast && source.size < limits.segment_bytes && !segment.mended && !endsInZeros)
      truncated(source, limits.segment_bytes);
    this.#tail = { path: source.path, offset: reader.offset, crc: reader.crc, tornUntil: undefined };
    if (wrong === undefined) return;
    if (wrong.torn && isLast) this.#tail = { ...this.#tail, tornUntil: reader.zerosFrom() };
    else damaged(source, reader.offset, wrong.why);
  }

  /**
   * All records, up to the end; what is wrong there, if something is. Under a running etcd the newest segment grows while it is
   * read: an end with bytes behind it, or half a record, is no damage where a second look at the same place finds a record. A log
   * at rest looks the same twice; one that has grown at each look is sound as far as it was read.
   */
  #walk(reader: SegmentReader, number: number, isLast: boolean): Wrong | undefined {
    let step = reader.next();
    for (let looks = 0; ; looks += 1) {
      for (; step.kind === "record"; step = reader.next()) {
        this.#records += 1;
        this.#take(reader, number);
      }
      const wrong = whatIsWrong(reader, step);
      if (wrong === undefined || !isLast) return wrong;
      step = reader.again();
      if (step.kind !== "record") return whatIsWrong(reader, step);
      if (looks === looks_max) return undefined;
    }
  }

  /** Each segment begins with the checksum of all before it, and with the ids. */
  #begin(reader: SegmentReader, number: number): void {
    if (typeAfter(reader) !== record_type.crc)
      foreign(reader.source, 0, "this is no segment of a WAL: it does not begin with a checksum record");
    if (number > 0 && reader.crcCarried !== reader.crc)
      foreign(
        reader.source,
        0,
        "this segment does not follow the one before it: its first checksum is another",
      );
    // The oldest segment that is left: what it goes on from was purged.
    reader.crc = reader.crcCarried;
    if (typeAfter(reader) !== record_type.metadata)
      foreign(
        reader.source,
        reader.offset,
        "a segment's second record must hold the ids of member and cluster",
      );
    this.#records += 2;
    const ids = decoded(reader, decodeMetadata);
    const { memberId, clusterId } = this.#ids ?? ids;
    if (ids.memberId !== memberId || ids.clusterId !== clusterId)
      foreign(
        reader.source,
        reader.at,
        `this segment is of member ${ids.memberId.toString(16)} of cluster ${ids.clusterId.toString(16)}, those before of member ${memberId.toString(16)} of cluster ${clusterId.toString(16)}`,
      );
    this.#ids = ids;
  }

  /** A segment is named for the entry after the last one written, or after a snapshot that was ahead of it. */
  #named({ source, index }: Segment): void {
    if (index === this.#written + 1) return;
    if (this.#snapshots.some((snapshot) => snapshot.index > this.#written && snapshot.index === index - 1))
      return;
    fail(
      "DUET-E-WAL-FILES",
      `${source.path}@0`,
      `the name says that this segment begins with entry ${index}, and those before it end with entry ${this.#written}`,
      "see what renamed files here; duet does not guess",
    );
  }

  #take(reader: SegmentReader, segment: number): void {
    if (reader.type === record_type.entry) this.#entry(reader, segment);
    else if (reader.type === record_type.state) this.#state(reader);
    else if (reader.type === record_type.snapshot) {
      this.#snapshots.push({ ...decoded(reader, decodeSnapshotRecord), segment });
      if (this.#snapshots.length > snapshots_max)
        damaged(reader.source, reader.at, "too many snapshot records");
    } else damaged(reader.source, reader.at, `a record of type ${reader.type} in the middle of a segment`);
  }

  #entry(reader: SegmentReader, segment: number): void {
    const { term, index } = reader;
    if (index <= this.#hardState.commit)
      damaged(
        reader.source,
        reader.at,
        `entry ${index} is written again after ${this.#hardState.commit} was committed`,
      );
    this.#written = index;
    const run = this.#runs.at(-1);
    if (run !== undefined && run.last + 1 === index && run.term === term && run.segment === segment)
      run.last = index;
    else this.#runs.push({ segment, term, first: index, last: index });
    if (this.#runs.length > runs_max) damaged(reader.source, reader.at, "too many changes of term");
    if (reader.entryType === 0) return this.#version(reader);
    const change = { run: this.#runs.length - 1, index, v2: reader.entryType === 2, payload: reader.kept };
    this.#changes.push(change);
    if (this.#changes.length > changes_max) damaged(reader.source, reader.at, "too many membership changes");
  }

  /** One in years, and of those that are here only the later ones matter: what is beyond all measure is passed over. */
  #version({ kept, index }: SegmentReader): void {
    const version = kept.length === 0 ? undefined : decodeClusterVersion(kept);
    if (version !== undefined && this.#versions.length < changes_max)
      this.#versions.push({ run: this.#runs.length - 1, index, version });
  }

  #state(reader: SegmentReader): void {
    const state = decoded(reader, decodeHardState);
    if (state.term < this.#hardState.term || state.commit < this.#hardState.commit)
      damaged(reader.source, reader.at, "term or commit index go back");
    this.#hardState = state;
  }

  result(): WalScan {
    if (this.#ids === undefined || this.#tail === undefined)
      throw new Error("a WAL has at least one segment");
    return {
      ...this.#ids,
      hardState: this.#hardState,
      runs: this.#runs,
      changes: this.#changes,
      versions: this.#versions,
      snapshots: this.#snapshots,
      records: this.#records,
      tail: this.#tail,
    };
  }
}

/** The type of the next record, if it is a whole one. */
function typeAfter(reader: SegmentReader): number | undefined {
  return reader.next().kind === "record" ? reader.type : undefined;
}

function decoded<T>(reader: SegmentReader, decode: (bytes: Uint8Array) => T): T {
  try {
    return decode(reader.kept);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return damaged(
      reader.source,
      reader.at,
      `a record of type ${reader.type} is malformed: ${error.message}`,
    );
  }
}
