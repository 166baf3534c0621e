import assert from "node:assert/strict";
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { writeCommitRecord } from "./commit-record.ts";
import { encodeHardState, encodeRecord } from "./encode.ts";
import { readMember } from "./facts.ts";
import { checkKept, hashOneKept, keepWal, sums_name } from "./keep.ts";
import { lockSegment } from "./lock.ts";
import { change_kind } from "./messages.ts";
import { entry_type, record_type } from "./segment.ts";
import { encodeChange, memberJson, WalBuilder } from "./testing.ts";
import { database } from "./testing-bolt.ts";
import { scratchFolder, writeFiles } from "./testing-folder.ts";

const me = 0xbdae9bbc11dd390dn;
const peer = 0x91bc3c398fb3c146n;
const members = [
  { id: me, urls: ["http://192.0.2.1:2380"] },
  { id: peer, urls: ["http://192.0.2.2:2380"] },
];

/** Two voters; entries up to 5, of which 3 are known to be committed. */
function twoVoters(): WalBuilder {
  const builder = new WalBuilder(me, 0xd1cfaf999eb97a2an);
  for (const [n, member] of members.entries())
    builder.entry(
      n + 1,
      1,
      encodeChange(change_kind.addNode, member.id, memberJson(member)),
      entry_type.change,
    );
  return builder
    .state({ term: 1, vote: 0n, commit: 2 })
    .entry(3, 2)
    .state({ term: 2, vote: peer, commit: 3 })
    .entry(4, 2, Buffer.from("four"))
    .entry(5, 2, Buffer.from("five"));
}

async function folderOf(builder: WalBuilder, path: string, applied: bigint): Promise<string> {
  const folder = await writeFiles(join(path, "data"), builder.files());
  await writeFile(join(folder, "member", "snap", "db"), database(applied));
  return folder;
}

const code = (wanted: string) => (error: unknown) => {
  assert.ok(error instanceof DuetError, String(error));
  assert.equal(error.problems[0]?.code, wanted, error.message);
  return true;
};

test("the record commits the whole log, keeps the vote, and is written once", async () => {
  await using scratch = await scratchFolder();
  const folder = await folderOf(twoVoters(), scratch.path, 3n);
  const copy = join(scratch.path, "kept");
  const first = await writeCommitRecord(folder, copy);
  assert.deepEqual(first.before, { term: 2, vote: peer, commit: 3 });
  assert.deepEqual(first.after, { term: 2, vote: peer, commit: 5 });
  assert.equal(first.written, true);
  assert.deepEqual(first.facts.hardState, first.after);
  assert.equal(first.facts.standingCommitted, "voter");
  const again = await writeCommitRecord(folder, copy);
  assert.equal(again.written, false);
  assert.equal(again.facts.sizes.records, first.facts.sizes.records);
  assert.ok(await checkKept(copy));
  // The copy is from before the first record.
  await rm(join(folder, "member", "wal"), { recursive: true });
  await mkdir(join(folder, "member", "wal"));
  for (const name of await readdir(copy))
    if (name.endsWith(".wal"))
      await writeFile(join(folder, "member", "wal", name), await readFile(join(copy, name)));
  assert.equal(readMember(folder)?.facts.hardState.commit, 3);
});

test("an entry newer than the HardState raises the term with it", async () => {
  await using scratch = await scratchFolder();
  const folder = await folderOf(twoVoters().entry(6, 3), scratch.path, 3n);
  const { after } = await writeCommitRecord(folder, join(scratch.path, "kept"));
  assert.deepEqual(after, { term: 3, vote: peer, commit: 6 });
});

test("old segments are linked, the newest is copied, and a changed copy is noticed", async () => {
  await using scratch = await scratchFolder();
  const folder = await folderOf(twoVoters().cut().entry(6, 2), scratch.path, 3n);
  const copy = join(scratch.path, "kept");
  await writeCommitRecord(folder, copy);
  const [old = "", newest = ""] = (await readdir(copy)).filter((name) => name.endsWith(".wal")).toSorted();
  const inode = async (...path: string[]) => (await stat(join(...path))).ino;
  assert.equal(await inode(copy, old), await inode(folder, "member", "wal", old));
  assert.notEqual(await inode(copy, newest), await inode(folder, "member", "wal", newest));
  await writeFile(join(copy, newest), "x");
  assert.equal(await checkKept(copy), false);
});

test("a takeover waits for no hash of an old segment: each gets its own later, one at a time", async () => {
  await using scratch = await scratchFolder();
  const folder = await folderOf(twoVoters().cut().entry(6, 2).cut().entry(7, 2), scratch.path, 3n);
  const copy = join(scratch.path, "kept");
  await writeCommitRecord(folder, copy);
  const listed = async () =>
    (await readFile(join(copy, sums_name), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => line.split("  ")[1]);
  const names = (await readdir(copy)).filter((name) => name.endsWith(".wal")).toSorted();
  assert.deepEqual(await listed(), names.slice(-1));
  assert.deepEqual([await hashOneKept(copy), (await listed()).length], [true, 2]);
  assert.deepEqual([await hashOneKept(copy), await hashOneKept(copy)], [true, false]);
  assert.deepEqual(new Set(await listed()), new Set(names));
  assert.ok(await checkKept(copy));
  await writeFile(join(copy, names[0] ?? ""), "x");
  assert.equal(await checkKept(copy), false);
});

test("a second try does not spoil a copy that the first one still makes", async () => {
  await using scratch = await scratchFolder();
  const folder = await folderOf(twoVoters().cut().entry(6, 2), scratch.path, 3n);
  const wal = join(folder, "member", "wal");
  const segments = (await readdir(wal)).toSorted().map((name) => join(wal, name));
  const copy = join(scratch.path, "kept");
  await Promise.all([1, 2, 3].map(() => keepWal(segments, copy)));
  assert.equal((await readdir(copy)).length, 3);
  assert.ok(await checkKept(copy));
  assert.deepEqual(
    (await readdir(scratch.path)).filter((name) => name.endsWith(".tmp")),
    [],
  );
});

test("cut off anywhere while it writes, the next run ends the same", async () => {
  await using scratch = await scratchFolder();
  // So long that the record stands across the border of two sectors.
  const start = twoVoters();
  const length = (builder: WalBuilder) => builder.files(0).values().next().value?.length ?? 0;
  for (let n = 6; length(start) % 512 !== 496 && n < 400; n += 1) start.entry(n, 2);
  assert.equal(length(start) % 512, 496);
  const folder = await folderOf(start, scratch.path, 3n);
  const reading = readMember(folder);
  assert.ok(reading !== undefined);
  const { tail } = reading.scan;
  const last = reading.facts.last.index;
  const { bytes } = encodeRecord(
    record_type.state,
    encodeHardState({ term: 2, vote: peer, commit: last }),
    tail.crc,
  );
  await using file = await open(tail.path, "r+");
  await file.write(bytes, 0, 16, tail.offset);
  assert.deepEqual(readMember(folder)?.facts.torn, { path: tail.path, offset: tail.offset, bytes: 16 });
  await file.close();
  const { cut, after, facts } = await writeCommitRecord(folder, join(scratch.path, "kept"));
  assert.equal(cut?.offset, tail.offset);
  assert.equal(after.commit, last);
  assert.equal(facts.torn, undefined);
});

test("a database ahead of the log, behind its snapshot, or gone is refused before anything is touched", async () => {
  await using scratch = await scratchFolder();
  const copy = join(scratch.path, "kept");
  const ahead = await folderOf(twoVoters(), scratch.path, 6n);
  await assert.rejects(writeCommitRecord(ahead, copy), code("DUET-E-BACKEND-AHEAD"));
  assert.equal(readMember(ahead)?.facts.tailLost, true);
  await rm(join(ahead, "member", "snap", "db"));
  await assert.rejects(writeCommitRecord(ahead, copy), code("DUET-E-BACKEND-UNREADABLE"));
  const received = twoVoters().snapshot({ index: 9, term: 2, members, removed: [] });
  const behind = await folderOf(
    received.state({ term: 2, vote: peer, commit: 9 }),
    join(scratch.path, "b"),
    3n,
  );
  await assert.rejects(writeCommitRecord(behind, copy), code("DUET-E-BACKEND-BEHIND"));
  assert.deepEqual((await readdir(scratch.path)).includes("kept"), false);
  await writeFile(join(behind, "member", "snap", "0000000000000009.snap.db"), database(9n));
  assert.equal((await writeCommitRecord(behind, copy)).written, false);
});

test("a member that its own log removes may not commit it", async () => {
  await using scratch = await scratchFolder();
  const removed = twoVoters().entry(6, 2, encodeChange(change_kind.removeNode, me), entry_type.change);
  const folder = await folderOf(removed, scratch.path, 3n);
  await assert.rejects(writeCommitRecord(folder, join(scratch.path, "kept")), code("DUET-E-WAL-STANDING"));
});

test("no WAL, a held lock, no program for the lock, something in the copy's place: each has its own error", async () => {
  await using scratch = await scratchFolder();
  await assert.rejects(writeCommitRecord(scratch.path, join(scratch.path, "kept")), code("DUET-E-WAL-NONE"));
  const folder = await folderOf(twoVoters(), scratch.path, 3n);
  const path = readMember(folder)?.scan.tail.path ?? "";
  await using holder = await open(path, "r+");
  await lockSegment(holder, path);
  await assert.rejects(writeCommitRecord(folder, join(scratch.path, "kept")), code("DUET-E-WAL-LOCKED"));
  await assert.rejects(lockSegment(holder, path, [["/nowhere/flock"]]), code("DUET-E-WAL-LOCK-TOOL"));
  await holder.close();
  await mkdir(join(scratch.path, "kept"));
  await assert.rejects(writeCommitRecord(folder, join(scratch.path, "kept")), code("DUET-E-WAL-COPY"));
});
