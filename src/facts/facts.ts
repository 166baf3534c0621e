import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../base/problem.ts";
import { isMissing } from "../machine/files.ts";
import { readBackend } from "./bolt.ts";
import { newest } from "../base/version.ts";
import { type Log, type LogPoint, replay } from "./log.ts";
import { type Configuration, Membership, type Standing } from "./membership.ts";
import type { ConfState, HardState } from "./messages.ts";
import { segmentNames } from "./names.ts";
import { readSnapshot, type SnapshotFile, snapshotName } from "./snapshot.ts";
import { type ByteSource, FileSource } from "./source.ts";
import { type ScanLimits, type Segment, scanWal, type WalScan } from "./wal.ts";

export type { Configuration, ConfState, HardState, LogPoint, Standing };

/** What a machine's etcd data says about its member, read while no etcd runs on it. docs/wal.md says what each means. */
export interface MemberFacts {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  /** The oldest entry after the snapshot; undefined where there is none. */
  readonly first: LogPoint | undefined;
  /** The newest entry, committed or not; the snapshot's, where there is no entry after it. */
  readonly last: LogPoint;
  readonly hardState: HardState;
  /** The newest valid one: committed, and its file loads. */
  readonly snapshot: (LogPoint & { readonly confState: ConfState }) | undefined;
  /** By the whole log, as a takeover makes it true by committing all of it. */
  readonly standing: Standing;
  /** By what is committed as far as this member knows; it may lag behind what the cluster committed. */
  readonly standingCommitted: Standing;
  readonly configuration: Configuration;
  readonly configurationCommitted: Configuration;
  /** Something in the log after the snapshot, committed or not, removes this member; or it was removed before. */
  readonly removalInLog: boolean;
  /** The newest entry whose effects are in the database (its `consistent_index`); undefined where there is no database. */
  readonly applied: number | undefined;
  /**
   * The newest version of etcd that the data is of, by its database and by what etcd would read of its log: the cluster agreed on
   * it, and an older etcd refuses such data, but only after it has written to it. Undefined where nothing names one.
   */
  readonly version: string | undefined;
  /** The database has applied more than the log holds: the log's tail is lost, and acknowledged writes with it. */
  readonly tailLost: boolean;
  /** The last record was never finished; nothing in it was acknowledged. It is left out of all other facts. */
  readonly torn: { readonly path: string; readonly offset: number; readonly bytes: number } | undefined;
  /** Committed snapshots whose file is there and does not load: the facts come from an older one and more of the log. */
  readonly snapshotsBroken: readonly { readonly path: string; readonly why: string }[];
  readonly sizes: {
    readonly segments: number;
    readonly records: number;
    readonly bytes: number;
    /** Without what etcd set aside in the newest segment and has not written to. */
    readonly bytes_used: number;
  };
}

/** The files of a member, wherever they are. */
export interface MemberFiles {
  readonly segments: readonly Segment[];
  /** The snapshot's file of this name, if it is there; the caller closes it. */
  readonly snapshot: (name: string) => (ByteSource & Partial<Disposable>) | undefined;
  readonly applied?: number | undefined;
  /** Those that the database names. */
  readonly versions?: readonly string[] | undefined;
}

export interface MemberReading {
  readonly facts: MemberFacts;
  readonly scan: WalScan;
}

/** From etcd's data folder (the one that holds `member`); undefined where it holds no data at all. */
export function readMemberFacts(folder: string): MemberFacts | undefined {
  return readMember(folder)?.facts;
}

/** The same with what the commit record's writer needs besides. */
export function readMember(folder: string): MemberReading | undefined {
  try {
    return readFolder(folder);
  } catch (error) {
    // A disk that gives EIO, a folder of another user: an answer for an operator, not a bug.
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    return fail(
      "DUET-E-WAL-UNREADABLE",
      "path" in error && typeof error.path === "string" ? error.path : folder,
      `etcd's data can't be read: ${error.message}`,
      "see the disk's health and the owner of the folder",
    );
  }
}

function readFolder(folder: string): MemberReading | undefined {
  const wal = join(folder, "member", "wal");
  const snap = join(folder, "member", "snap");
  const names = namesIn(wal);
  if (names === undefined) {
    const left = namesIn(snap)?.find((name) => name === "db" || name.endsWith(".snap"));
    if (left !== undefined)
      fail(
        "DUET-E-WAL-FILES",
        `${wal}@0`,
        `there is no WAL here, but there is ${join(snap, left)}: half of the data is gone`,
        "see what removed it; duet does not take this for an empty machine",
      );
    return undefined;
  }
  const ordered = segmentNames(wal, names);
  using open = new DisposableStack();
  const segments = ordered.map(({ name, ...rest }) => ({
    ...rest,
    source: open.use(new FileSource(join(wal, name))),
  }));
  const beside = new Set(namesIn(snap));
  const backend = beside.has("db") ? readBackend(join(snap, "db")) : undefined;
  return readFiles({
    segments,
    snapshot: (name) => (beside.has(name) ? new FileSource(join(snap, name)) : undefined),
    applied: backend?.consistentIndex,
    versions: backend?.versions,
  });
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function readFiles(files: MemberFiles, limits?: ScanLimits): MemberReading {
  const scan = scanWal(files.segments, limits);
  const { snapshot, broken } = newestValid(scan, files);
  const log = replay(scan, files.segments, snapshot ?? { index: 0, term: 0 });
  return { facts: factsOf(files, scan, log, snapshot, broken), scan };
}

/** The newest snapshot that the log calls committed and whose file loads, as etcd would choose it. */
function newestValid(
  scan: WalScan,
  files: MemberFiles,
): { snapshot: SnapshotFile | undefined; broken: { path: string; why: string }[] } {
  const broken: { path: string; why: string }[] = [];
  const committed = scan.snapshots
    .filter(({ index }) => index > 0 && index <= scan.hardState.commit)
    .toSorted((a, b) => b.term - a.term || b.index - a.index);
  for (const record of committed) {
    using source = disposable(files.snapshot(snapshotName(record)));
    if (source.value === undefined) continue;
    const read = readSnapshot(source.value);
    const why = typeof read === "string" ? read : differs(record, read);
    if (typeof read !== "string" && why === undefined) return { snapshot: read, broken };
    broken.push({ path: source.value.path, why: why ?? "" });
  }
  return { snapshot: undefined, broken };
}

function differs(record: WalScan["snapshots"][number], file: SnapshotFile): string | undefined {
  if (record.index !== file.index || record.term !== file.term) return "the file holds another snapshot";
  const { confState } = record;
  const same =
    confState === undefined ||
    (String(confState.voters) === String(file.confState.voters) &&
      String(confState.learners) === String(file.confState.learners));
  return same ? undefined : "the file has another configuration than the WAL";
}

function disposable<T extends Partial<Disposable>>(
  value: T | undefined,
): Disposable & { value: T | undefined } {
  return { value, [Symbol.dispose]: () => value?.[Symbol.dispose]?.() };
}

function factsOf(
  files: MemberFiles,
  scan: WalScan,
  log: Log,
  snapshot: SnapshotFile | undefined,
  broken: MemberFacts["snapshotsBroken"],
): MemberFacts {
  const { memberId, clusterId, hardState, tail } = scan;
  const fold = (until: number) => {
    const membership = new Membership(snapshot);
    for (const change of log.changes) if (change.index <= until) membership.apply(change);
    return membership;
  };
  const whole = fold(log.last.index);
  const committed = fold(hardState.commit);
  const bytes = files.segments.map(({ source }) => source.size);
  const bytes_before = bytes.slice(0, -1).reduce((sum, each) => sum + each, 0);
  return {
    clusterId,
    memberId,
    first: log.first,
    last: { index: log.last.index, term: log.last.term },
    hardState,
    snapshot: snapshot && { index: snapshot.index, term: snapshot.term, confState: snapshot.confState },
    standing: whole.standing(memberId),
    standingCommitted: committed.standing(memberId),
    configuration: whole.configuration(),
    configurationCommitted: committed.configuration(),
    removalInLog:
      log.changes.some((change) => Membership.removes(change, memberId)) ||
      whole.configuration().removed.includes(memberId),
    applied: files.applied,
    version: newest([...(files.versions ?? []), ...log.versions.map(({ version }) => version)]),
    tailLost: (files.applied ?? 0) > log.last.index,
    torn:
      tail.tornUntil === undefined
        ? undefined
        : { path: tail.path, offset: tail.offset, bytes: tail.tornUntil - tail.offset },
    snapshotsBroken: broken,
    sizes: {
      segments: files.segments.length,
      records: scan.records,
      bytes: bytes_before + (bytes.at(-1) ?? 0),
      bytes_used: bytes_before + tail.offset,
    },
  };
}
