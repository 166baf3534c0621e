import assert from "node:assert/strict";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { EtcdProcess, type Etcd } from "../../lab/etcd36/process.ts";
import { copyFolder, factsAsEtcd, Pair, scratch, versions } from "../../lab/etcd36/testing.ts";
import { DuetError } from "../base/problem.ts";
import { sleep } from "../machine/clock.ts";
import { run } from "../machine/process.ts";
import { writeCommitRecord } from "./commit-record.ts";
import { encodeRecord } from "./encode.ts";
import { readMember } from "./facts.ts";
import { checkKept } from "./keep.ts";
import { lock_takers, lockSegment } from "./lock.ts";
import { record_type } from "./segment.ts";
import { varint } from "./wire.ts";

const [newest, ...others] = await versions();
const rounds = 4;

for (const etcd of [newest, ...others]) {
  test(`etcd ${etcd.version}: killed at any moment under load, the survivor keeps every acknowledged write`, async () => {
    await using folder = await scratch();
    const pair = await Pair.create(etcd, folder.path, ["--snapshot-count", "200"]);
    try {
      await pair.startFirst();
      await pair.join(pair.b, pair.a);
      await pair.promote(pair.b, pair.a);
      let behind = 0;
      for (let round = 0; round < rounds; round += 1) {
        const acknowledged = await killUnderLoad(pair, round);
        for (const member of [pair.a, pair.b]) await factsAsEtcd(newest.folder, member.folder);
        const survivor = round % 2 === 0 ? pair.b : pair.a;
        const lost = round % 2 === 0 ? pair.a : pair.b;
        const copy = join(folder.path, `kept${round}`);
        const { before, facts } = await writeCommitRecord(survivor.folder, copy);
        behind += before.commit < facts.last.index ? 1 : 0;
        assert.ok(await checkKept(copy));
        await takeOver(survivor, pair.flags, acknowledged);
        const after = await factsAsEtcd(newest.folder, survivor.folder);
        assert.deepEqual(after.configuration.voters, [after.memberId]);

        survivor.start(pair.flags);
        await survivor.ready();
        await pair.join(lost, survivor);
        await pair.promote(lost, survivor);
      }
      assert.ok(
        behind > 0,
        "in no round was the survivor's commit index behind its log: this tested nothing",
      );
    } finally {
      await pair.kill();
    }
  });

  test(`etcd ${etcd.version}: the commit record's lock is etcd's`, async () => {
    await using folder = await scratch();
    const a = await EtcdProcess.create(etcd, "a", folder.path);
    const flags = ["--initial-cluster", `a=${a.peer}`];
    try {
      a.start(flags);
      await a.ready();
      await assert.rejects(writeCommitRecord(a.folder, join(folder.path, "copy")), code("DUET-E-WAL-LOCKED"));
      assert.equal((await readdir(folder.path)).includes("copy"), false);
      await a.kill();
      for (const taker of await lockTakers(etcd)) {
        await using file = await open(walPath(a.folder), "r+");
        await lockSegment(file, "wal", [taker]);
        await a.forgetLog();
        a.start(flags);
        assert.notEqual(await a.ended(), 0, taker[0]);
        assert.match(await a.log(), /file already locked|locked/, taker[0]);
      }
      a.start(flags);
      await a.ready();
    } finally {
      await a.kill();
    }
  });

  test(`etcd ${etcd.version}: a torn last record is cut off as etcd's own repair does`, async () => {
    await using folder = await scratch();
    const a = await EtcdProcess.create(etcd, "a", folder.path);
    const flags = ["--initial-cluster", `a=${a.peer}`];
    try {
      a.start(flags);
      await a.ready();
      for (let n = 0; n < 30; n += 1) await a.put(`key${n}`, "x".repeat(100 * n));
      await a.kill();
      const whole = readMember(a.folder);
      assert.ok(whole !== undefined);
      await tear(a.folder);
      const torn = await factsAsEtcd(newest.folder, a.folder);
      assert.deepEqual(torn.last, whole.facts.last);
      assert.equal(torn.torn?.offset, whole.scan.tail.offset);

      // By etcd itself, on a copy.
      const own = await EtcdProcess.create(etcd, "copy", folder.path);
      await copyFolder(a.folder, own.folder);
      own.start([]);
      await own.ready();
      await own.kill();
      assert.ok((await readdir(join(own.folder, "member", "wal"))).some((name) => name.endsWith(".broken")));
      const mended = await factsAsEtcd(newest.folder, own.folder);
      assert.equal(mended.torn, undefined);
      assert.ok(mended.last.index >= torn.last.index);

      const { cut, facts } = await writeCommitRecord(a.folder, join(folder.path, "kept"));
      assert.deepEqual(cut, torn.torn);
      assert.equal(facts.torn, undefined);
      assert.deepEqual(facts.last, whole.facts.last);
      a.start([...flags, "--force-new-cluster"]);
      await a.ready();
      assert.equal((await a.keys()).size, 30);
    } finally {
      await a.kill();
    }
  });
}

/** Writers on both members until the kill; the keys whose writes were answered. */
async function killUnderLoad(pair: Pair, round: number): Promise<ReadonlySet<string>> {
  const acknowledged = new Set<string>();
  const load = { on: true };
  const writer = async (through: EtcdProcess, name: string) => {
    for (let n = 0; load.on; n += 1) {
      const key = `${round}-${name}-${n}`;
      try {
        await through.put(key, "v".repeat((n * 37) % 3000));
        acknowledged.add(key);
      } catch {
        return;
      }
    }
  };
  const writers = Array.from({ length: 16 }, (_, n) => writer(n % 2 === 0 ? pair.a : pair.b, `w${n}`));
  await sleep(300 + Math.random() * 500);
  // One dies before the other, as when a machine loses power.
  const [first, second] = Math.random() < 0.5 ? [pair.a, pair.b] : [pair.b, pair.a];
  await first.kill();
  await sleep(Math.random() * 30);
  await second.kill();
  load.on = false;
  await Promise.all(writers);
  return acknowledged;
}

/** With the flag, and once more without it. */
async function takeOver(
  survivor: EtcdProcess,
  flags: readonly string[],
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  for (const start of [[...flags, "--force-new-cluster"], flags]) {
    await survivor.forgetLog();
    survivor.start(start);
    await survivor.ready();
    assert.doesNotMatch(await survivor.log(), /discarding uncommitted/);
    const keys = await survivor.keys();
    const lost = [...acknowledged].filter((key) => !keys.has(key));
    assert.deepEqual(lost, [], "acknowledged writes are gone");
    await survivor.kill();
  }
}

/** The beginning of a large entry behind the last record, up to a sector's border: as a write that never ended. */
async function tear(folder: string): Promise<void> {
  const reading = readMember(folder);
  assert.ok(reading !== undefined);
  const { tail } = reading.scan;
  const { last } = reading.facts;
  const head = [0x08, 0, 0x10, ...varint(last.term), 0x18, ...varint(last.index + 1), 0x22, ...varint(5000)];
  const data = Buffer.concat([Uint8Array.from(head), Buffer.alloc(5000, "t")]);
  const { bytes } = encodeRecord(record_type.entry, data, tail.crc);
  const end = (Math.floor(tail.offset / 512) + 4) * 512;
  await using file = await open(tail.path, "r+");
  await file.write(bytes, 0, end - tail.offset, tail.offset);
}

const walPath = (folder: string): string =>
  join(folder, "member", "wal", "0000000000000000-0000000000000000.wal");

/** Those that this box has; and the image's `flock`, which is new enough for `--fcntl`. */
async function lockTakers(etcd: Etcd): Promise<readonly (readonly [string, ...string[]])[]> {
  const found: (readonly [string, ...string[]])[] = [];
  for (const taker of lock_takers) {
    const { status, stdout } = await run([taker[0], "--help"], { accept: "any" });
    if (status === 0 && (taker[0] !== "flock" || stdout.includes("--fcntl"))) found.push(taker);
    if (taker[0] === "flock" && etcd.version === "3.5" && process.getuid?.() === 0)
      found.push(["chroot", etcd.folder.replace(/\/usr\/bin$/, ""), ...taker]);
  }
  assert.ok(found.length > 0);
  return found;
}

const code = (wanted: string) => (error: unknown) =>
  error instanceof DuetError && error.problems[0]?.code === wanted;
