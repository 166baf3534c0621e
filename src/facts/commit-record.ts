import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { DuetError, fail } from "../base/problem.ts";
import { exists, isMissing, syncFolder } from "../machine/files.ts";
import { encodeHardState, encodeRecord } from "./encode.ts";
import { type HardState, type MemberFacts, type MemberReading, readMember } from "./facts.ts";
import { keepWal, writeAll } from "./keep.ts";
import { lockSegment } from "./lock.ts";
import { segmentNames } from "./names.ts";
import { record_type } from "./segment.ts";

export interface CommitRecord {
  /** False where the log said so already; then nothing was appended. */
  readonly written: boolean;
  readonly before: HardState;
  readonly after: HardState;
  /** A record that was never finished was cut off. */
  readonly cut: MemberFacts["torn"];
  /** As read back from the disk. */
  readonly facts: MemberFacts;
}

/**
 * Makes a stopped member's log say that all of it is committed, so that `--force-new-cluster` drops none of it. Only for a
 * takeover (design: peer proven off, this member a full voter): otherwise it commits what others may have replaced.
 *
 * Safe to repeat after a crash at any point: until the record is whole on disk, the reader sees the log as it was, at most
 * with a torn record behind it, which the next run cuts off.
 */
export async function writeCommitRecord(folder: string, copy: string): Promise<CommitRecord> {
  const wal = join(folder, "member", "wal");
  const segments = await segmentPaths(wal);
  const newest = segments.at(-1) ?? wal;
  await using file = await open(newest, "r+");
  await lockSegment(file, newest);
  const reading = readMember(folder);
  // Listed before the lock was ours: an etcd may have begun another segment in between, and then ended.
  if (reading === undefined || reading.scan.tail.path !== newest) return moved(newest);
  const { facts, scan } = reading;
  mayCommit(folder, facts);
  await checkBackend(folder, facts);
  await keepWal(segments, copy);
  const after = committed(facts);
  const written = after.commit !== facts.hardState.commit || after.term !== facts.hardState.term;
  if (scan.tail.tornUntil !== undefined) await zero(file, scan.tail.offset, scan.tail.tornUntil);
  if (written) {
    const { bytes } = encodeRecord(record_type.state, encodeHardState(after), scan.tail.crc);
    await writeAll(file, bytes, scan.tail.offset);
  }
  await file.sync();
  await syncFolder(wal);
  return { written, before: facts.hardState, after, cut: facts.torn, facts: readBack(folder, facts, after) };
}

async function segmentPaths(wal: string): Promise<readonly string[]> {
  try {
    return segmentNames(wal, await readdir(wal)).map(({ name }) => join(wal, name));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return fail(
      "DUET-E-WAL-NONE",
      wal,
      "there is no WAL here",
      "name etcd's data folder, which holds `member`",
    );
  }
}

/**
 * The last term: an entry can be newer than the HardState, if etcd was cut off between the two. The vote stays.
 */
function committed({ hardState, last }: MemberFacts): HardState {
  return { term: Math.max(hardState.term, last.term), vote: hardState.vote, commit: last.index };
}

/** The rules decide this before; here it is asked once more, since a wrong record can't be taken back. */
function mayCommit(folder: string, { standing, removalInLog, configuration }: MemberFacts): void {
  if (standing === "voter" && !removalInLog) return;
  fail(
    "DUET-E-WAL-STANDING",
    folder,
    `this member may not commit its log alone: by that log it is ${standing}${removalInLog ? ", and to be removed" : ""}${configuration.unknown === undefined ? "" : ` (${configuration.unknown})`}`,
    "let it join again with empty data while its peer serves",
  );
}

/** The database must not know more than the log: then the log's tail is lost, and with it acknowledged writes. */
async function checkBackend(
  folder: string,
  { last, snapshot, applied, tailLost }: MemberFacts,
): Promise<void> {
  const snap = join(folder, "member", "snap");
  const db = join(snap, "db");
  if (applied === undefined)
    return fail(
      "DUET-E-BACKEND-UNREADABLE",
      `${db}@0`,
      "etcd's database is not there",
      "see what removed it",
    );
  if (tailLost)
    fail(
      "DUET-E-BACKEND-AHEAD",
      db,
      `the database holds entry ${applied}, and the log ends at ${last.index}: the log's tail is lost`,
      "do not start this data alone; let this machine join again while its peer serves",
    );
  const received = join(snap, `${(snapshot?.index ?? 0).toString(16).padStart(16, "0")}.snap.db`);
  if (snapshot !== undefined && applied < snapshot.index && !(await exists(received)))
    fail(
      "DUET-E-BACKEND-BEHIND",
      db,
      `the database ends at entry ${applied}, before the snapshot at ${snapshot.index}, and ${received} is not there`,
      "etcd can't start from this data; let this machine join again while its peer serves",
    );
}

/** Overwrites and does not shorten: a segment that a crash leaves short could not be told from a truncated one. */
async function zero(file: FileHandle, from: number, until: number): Promise<void> {
  const piece = Buffer.alloc(1 << 20);
  for (let offset = from; offset < until; offset += piece.length)
    await writeAll(file, piece.subarray(0, Math.min(piece.length, until - offset)), offset);
  // Before the record goes to the same place: a crash must not leave a mix of both.
  await file.sync();
}

function readBack(folder: string, before: MemberFacts, after: HardState): MemberFacts {
  let reading: MemberReading | undefined;
  try {
    reading = readMember(folder);
  } catch (error) {
    if (!(error instanceof DuetError)) throw error;
    return notReadBack(folder, error.message);
  }
  const facts = reading?.facts;
  const same =
    facts !== undefined &&
    facts.torn === undefined &&
    facts.hardState.term === after.term &&
    facts.hardState.vote === after.vote &&
    facts.hardState.commit === after.commit &&
    facts.last.index === before.last.index &&
    facts.last.term === before.last.term &&
    facts.standing === before.standing &&
    facts.standingCommitted === before.standing;
  return same ? facts : notReadBack(folder, "the facts are not those that were meant");
}

function notReadBack(folder: string, why: string): never {
  fail(
    "DUET-E-WAL-READBACK",
    folder,
    `the commit record was written, and reading it back failed: ${why}`,
    "do not start etcd; the WAL as it was is in the copy",
  );
}

function moved(newest: string): never {
  fail("DUET-E-WAL-CHANGED", `${newest}@0`, "this is no longer the newest segment", "stop etcd first");
}
