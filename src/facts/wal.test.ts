import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../base/problem.ts";
import { type MemberFacts, readFiles } from "./facts.ts";
import { change_kind } from "./messages.ts";
import { segmentNames } from "./names.ts";
import { entry_type } from "./segment.ts";
import type { ByteSource } from "./source.ts";
import { encodeChange, type FileSet, memberFiles, memberJson, WalBuilder } from "./testing.ts";
import { fixtures } from "./testing-fixtures.ts";
import { scanWal } from "./wal.ts";

const me = 0xbdae9bbc11dd390dn;
const peer = 0x91bc3c398fb3c146n;
const cluster = 0xd1cfaf999eb97a2an;
const first_segment = "wal/0000000000000000-0000000000000000.wal";
const urls = ["http://192.0.2.1:2380"];

function begun(): WalBuilder {
  return new WalBuilder(me, cluster)
    .entry(1, 1, encodeChange(change_kind.addNode, me, memberJson({ id: me, urls })), entry_type.change)
    .state({ term: 1, vote: 0n, commit: 1 });
}

const read = (files: FileSet): MemberFacts => readFiles(memberFiles(files), { segment_bytes: 0 }).facts;

/** Reading fails with this code, at this place of this file, and says this. */
function refuses(
  files: FileSet,
  code: string,
  where: string | RegExp,
  what: RegExp,
  segment_bytes = 0,
): void {
  assert.throws(
    () => readFiles(memberFiles(files), { segment_bytes }),
    (error) => {
      assert.ok(error instanceof DuetError);
      const [problem] = error.problems;
      assert.equal(problem?.code, code, problem?.what);
      if (typeof where === "string") assert.equal(problem?.where, where);
      else assert.match(problem?.where ?? "", where);
      assert.match(problem?.what ?? "", what);
      return true;
    },
  );
}

/** The files with one of them changed. */
function changed(files: FileSet, path: string, change: (bytes: Buffer) => Uint8Array | void): FileSet {
  const bytes = Buffer.from(files.get(path) ?? []);
  return new Map([...files, [path, change(bytes) ?? bytes]]);
}

const flipped = (files: FileSet, path: string, bit: number): FileSet =>
  changed(files, path, (bytes) => {
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  });

for (const { name, about, oracle, files } of fixtures()) {
  test(`the recorded WAL ${name} (${about}) is read as etcd's own packages read it`, () => {
    const facts = read(files);
    const hex = (ids: readonly bigint[]) => ids.map((id) => id.toString(16)).toSorted();
    assert.equal(facts.clusterId.toString(16), oracle.clusterId);
    assert.equal(facts.memberId.toString(16), oracle.memberId);
    assert.deepEqual(facts.last, oracle.last);
    assert.equal(facts.hardState.commit, oracle.commit);
    assert.equal(facts.hardState.vote.toString(16), oracle.vote);
    assert.equal(facts.snapshot?.index, oracle.snapshot?.index);
    assert.deepEqual(hex(facts.configuration.voters), oracle.whole.voters);
    assert.deepEqual(hex(facts.configuration.removed), oracle.whole.removed);
    assert.equal(facts.standing, oracle.whole.removed.includes(oracle.memberId) ? "removed" : "voter");
  });
}

test("every flipped bit is found, and named with file and offset", () => {
  for (const spare of [0, 1024]) {
    const files = begun().entry(2, 1, Buffer.from("hello")).files(spare);
    const size = files.get(first_segment)?.length ?? 0;
    for (let bit = 0; bit < size * 8; bit += 1)
      assert.throws(() => read(flipped(files, first_segment, bit)), DuetError, `bit ${bit} of ${size * 8}`);
  }
  const files = begun().entry(2, 1, Buffer.from("hello")).files(0);
  const size = files.get(first_segment)?.length ?? 0;
  const last = begun().files(0).get(first_segment)?.length;
  const where = `${first_segment}@${last}`;
  refuses(flipped(files, first_segment, (size - 4) * 8), "DUET-E-WAL-DAMAGED", where, /checksum is wrong/);
});

test("the standing comes from the whole log, and separately from what is committed", () => {
  const learner = { id: me, urls, learner: true };
  const other = { id: peer, urls: ["http://192.0.2.2:2380"] };
  const builder = new WalBuilder(me, cluster)
    .entry(1, 1, encodeChange(change_kind.addNode, peer, memberJson(other)), entry_type.change)
    .entry(2, 1, encodeChange(change_kind.addLearner, me, memberJson(learner)), entry_type.change)
    .state({ term: 1, vote: 0n, commit: 1 });
  const joined = read(builder.files());
  assert.deepEqual([joined.standing, joined.standingCommitted], ["learner", "none"]);
  builder
    .state({ term: 1, vote: 0n, commit: 2 })
    .entry(
      3,
      1,
      encodeChange(change_kind.addNode, me, memberJson({ id: me, urls, promote: true })),
      entry_type.change,
    );
  const promoted = read(builder.files());
  assert.deepEqual([promoted.standing, promoted.standingCommitted], ["voter", "learner"]);
  builder.entry(4, 1, encodeChange(change_kind.removeNode, me), entry_type.change);
  const removed = read(builder.files());
  assert.deepEqual(
    [removed.standing, removed.standingCommitted, removed.removalInLog],
    ["removed", "learner", true],
  );
  // A new leader replaces the removal: it is no longer in the log.
  const replaced = read(builder.entry(4, 2).files());
  assert.deepEqual([replaced.standing, replaced.removalInLog], ["voter", false]);
});

test("what can't be judged makes the standing unknown", () => {
  const change = (kind: number, id: bigint, context = "") =>
    begun().entry(2, 1, encodeChange(kind, id, context), entry_type.change);
  const unknown: Readonly<Record<string, WalBuilder>> = {
    "a change of the second kind": begun().entry(2, 1, new Uint8Array(), entry_type.changeV2),
    "adds a member that is there": change(change_kind.addNode, me, memberJson({ id: me, urls })),
    "at the address of another": change(change_kind.addNode, peer, memberJson({ id: peer, urls })),
    "promotes what can't be promoted": change(
      change_kind.addNode,
      peer,
      memberJson({ id: peer, urls, promote: true }),
    ),
    "nothing sure about the member": change(change_kind.addNode, peer, "{}"),
    "changes no member": change(change_kind.removeNode, 0n),
    "kind 9": change(9, peer),
  };
  for (const [why, builder] of Object.entries(unknown)) {
    const facts = read(builder.files());
    assert.equal(facts.standing, "unknown", why);
    assert.match(facts.configuration.unknown ?? "", new RegExp(why));
    assert.equal(facts.standingCommitted, "voter");
  }
});

test("a snapshot counts when it is committed and loads; else the one before it", () => {
  const members = [{ id: me, urls }];
  const builder = begun().entry(2, 1).entry(3, 1).state({ term: 1, vote: me, commit: 3 });
  builder
    .snapshot({ index: 2, term: 1, members, removed: [] })
    .snapshot({ index: 3, term: 1, members, removed: [] });
  const files = builder.files();
  assert.equal(read(files).snapshot?.index, 3);
  const name = "snap/0000000000000001-0000000000000003.snap";
  const broken = read(flipped(files, name, 200));
  assert.equal(broken.snapshot?.index, 2);
  assert.deepEqual(broken.last, { index: 3, term: 1 });
  assert.deepEqual(broken.snapshotsBroken, [{ path: name, why: "the checksum is wrong" }]);
  const early = begun().entry(2, 1).snapshot({ index: 2, term: 1, members, removed: [] });
  assert.equal(read(early.files()).snapshot, undefined);
});

test("an unfinished last record is left out and reported", () => {
  const whole = begun().entry(2, 1, Buffer.alloc(3000, 1));
  const bytes = whole.files(0).get(first_segment)?.length ?? 0;
  const torn = changed(whole.files(), first_segment, (file) => void file.fill(0, 1024));
  const facts = read(torn);
  assert.equal(facts.last.index, 1);
  assert.equal(facts.torn?.path, first_segment);
  assert.equal((facts.torn?.offset ?? 0) + (facts.torn?.bytes ?? 0) <= 1024, true);
  // The same hole, but something stands behind it: then nobody knows what was lost.
  const holed = changed(whole.files(), first_segment, (file) => void file.fill(0, 1024, bytes - 8));
  refuses(holed, "DUET-E-WAL-DAMAGED", /@\d+$/, /checksum is wrong/);
  const behind = changed(whole.files(), first_segment, (file) => void (file[bytes + 700] = 7));
  refuses(
    behind,
    "DUET-E-WAL-DAMAGED",
    `${first_segment}@${bytes}`,
    /the log ends here, but there are bytes behind it/,
  );
});

test("a log that grows while it is read is no damaged log", () => {
  const sizeOf = (built: WalBuilder) => built.files(0).get(first_segment)?.length ?? 0;
  const one = begun().entry(2, 1, Buffer.alloc(3000, 1));
  const two = begun().entry(2, 1, Buffer.alloc(3000, 1)).entry(3, 1, Buffer.alloc(3000, 2));
  const [none_end, one_end, two_end] = [begun(), one, two].map(sizeOf);
  // Longer than what is held of a file at once, as etcd's are: its end is read later than its records.
  const files = two.files(2 << 20);
  const last = files.get(first_segment) ?? new Uint8Array();
  const cases: readonly (readonly (number | undefined)[])[] = [
    [none_end, one_end],
    [none_end, two_end],
    [none_end, one_end, two_end],
    [(one_end ?? 0) - 1500, one_end],
    [(one_end ?? 0) + 900, two_end],
  ];
  for (const looks of cases) {
    const { segments } = memberFiles(files);
    const scan = scanWal(
      segments.map((segment) => ({ ...segment, source: growing(last, looks) })),
      { segment_bytes: 0 },
    );
    assert.equal(scan.tail.offset, looks.at(-1), String(looks));
    assert.equal(scan.tail.tornUntil, undefined, String(looks));
  }
});

/** A file of which so much is written when it is read for the first time, the second, and so on. */
function growing(bytes: Uint8Array, looks: readonly (number | undefined)[]): ByteSource {
  let reads = 0;
  return {
    path: first_segment,
    size: bytes.length,
    read(into, position) {
      const written = looks[Math.min(reads, looks.length - 1)] ?? 0;
      reads += 1;
      const all = new Uint8Array(bytes.length);
      all.set(bytes.subarray(0, written));
      const now = all.subarray(position, position + into.length);
      into.set(now);
      return now.length;
    },
  };
}

/** The records of a small log, with nothing behind the last. */
function recordsOnly(): Uint8Array {
  const whole = begun().files().get(first_segment) ?? new Uint8Array();
  const end = whole.findLastIndex((byte) => byte !== 0) + 1;
  return whole.subarray(0, end + ((8 - (end % 8)) % 8));
}

test("a newest segment that is too short was truncated, unless etcd mended it", () => {
  const records = recordsOnly();
  for (const bytes of [records, records.subarray(0, -8)])
    refuses(
      new Map([[first_segment, bytes]]),
      "DUET-E-WAL-TRUNCATED",
      `${first_segment}@${bytes.length}`,
      /ends here/,
      64_000_000,
    );
  const mended = new Map([
    [first_segment, records],
    [`${first_segment}.broken`, new Uint8Array()],
  ]);
  assert.equal(readFiles(memberFiles(mended), { segment_bytes: 64_000_000 }).facts.standing, "voter");
});

test("a newest segment that is too short and ends in zeros is whole: a full disk left it so", () => {
  const short = new Map([[first_segment, Buffer.concat([recordsOnly(), new Uint8Array(4096)])]]);
  assert.equal(readFiles(memberFiles(short), { segment_bytes: 64_000_000 }).facts.standing, "voter");
});

test("foreign files are refused", () => {
  refuses(
    new Map([[first_segment, Buffer.from("#!/bin/sh\necho no WAL\n")]]),
    "DUET-E-WAL-FOREIGN",
    `${first_segment}@0`,
    /no segment of a WAL/,
  );
  refuses(
    new Map([[first_segment, new Uint8Array(4096)]]),
    "DUET-E-WAL-FOREIGN",
    `${first_segment}@0`,
    /no segment of a WAL/,
  );
  const two = begun().cut().files();
  const second = [...two.keys()].find((name) => name.includes("0001-")) ?? "";
  const other = new WalBuilder(peer, cluster)
    .entry(1, 1, encodeChange(change_kind.addNode, me, memberJson({ id: me, urls })), entry_type.change)
    .state({ term: 1, vote: 0n, commit: 1 })
    .cut()
    .files();
  refuses(
    new Map([...two, [second, other.get(second) ?? new Uint8Array()]]),
    "DUET-E-WAL-FOREIGN",
    `${second}@0`,
    /does not follow/,
  );
});

test("gaps and odd names are refused by name", () => {
  const seq = (n: number) => `${n.toString(16).padStart(16, "0")}-${n.toString(16).padStart(16, "0")}.wal`;
  const where = (names: readonly string[]) => {
    try {
      return segmentNames("/w", names).map(({ name }) => name);
    } catch (error) {
      return error instanceof DuetError ? error.problems[0]?.where : error;
    }
  };
  assert.deepEqual(where([seq(0), seq(1), "1.tmp", `${seq(0)}.broken`]), [seq(0), seq(1)]);
  assert.deepEqual(where([seq(7), seq(8)]), [seq(7), seq(8)]);
  assert.equal(where([seq(0), seq(2)]), `/w/${seq(2)}@0`);
  assert.equal(where([seq(0), "copy of 1.wal"]), "/w/copy of 1.wal@0");
  assert.equal(where(["0.tmp"]), "/w@0");
});

test("a log that contradicts itself is refused", () => {
  refuses(begun().entry(3, 1).files(), "DUET-E-WAL-LOG", /@\d+$/, /entries 2 to 2 are missing/);
  refuses(
    begun().entry(2, 3).entry(3, 2).files(),
    "DUET-E-WAL-LOG",
    /@\d+$/,
    /term 2 after an entry of term 3/,
  );
  refuses(
    begun().entry(2, 1).state({ term: 1, vote: 0n, commit: 5 }).files(),
    "DUET-E-WAL-LOG",
    /@\d+$/,
    /its tail is lost/,
  );
  refuses(begun().entry(1, 2).files(), "DUET-E-WAL-DAMAGED", /@\d+$/, /written again/);
});
