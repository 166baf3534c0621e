import assert from "node:assert/strict";
import { type FileHandle, mkdir, open, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { copyFolder, factsAsEtcd, Pair, scratch, versions } from "../../../lab/etcd36/testing.ts";
import type { DiskEffects, LogFacts, State } from "../../act/effects.ts";
import { checkKept, sums_name } from "../../facts/keep.ts";
import { state_empty } from "../../facts/state.ts";
import { sleep } from "../../machine/clock.ts";
import { run } from "../../machine/process.ts";
import { type Disk, diskEffects } from "./disk.ts";
import { failureOf, valueOf } from "./testing-outcome.ts";

const disk_ms = 60_000;
const [newest, ...others] = await versions();

const nothing: LogFacts = {
  data: false,
  standing: "none",
  soleVoter: false,
  removalInLog: false,
  tailLost: false,
  others: "",
};

function diskAt(folder: string, data = join(folder, "etcd"), running = false) {
  const notes: string[] = [];
  const disk: Disk = {
    paths: { etcdData: data, state: join(folder, "state"), kept: join(folder, "kept") },
    isRunning: async () => running,
    note: (why) => notes.push(why),
    self: { name: "a", peerUrls: [] },
  };
  return { ...diskEffects(disk), paths: disk.paths, notes };
}

test("a machine without data holds nothing, and nothing is done to it", async () => {
  await using folder = await scratch();
  const disk = diskAt(folder.path);
  assert.deepEqual(await valueOf(disk.readState()), state_empty);
  assert.deepEqual(await valueOf(disk.inspect()), nothing);
  assert.equal(await valueOf(disk.logEnd()), undefined);
  await valueOf(disk.moveAside(disk_ms));
  assert.deepEqual(await readdir(folder.path), []);
  assert.match(await failureOf(disk.keepWal(1, disk_ms)), /^failed: /);
  assert.match(await failureOf(disk.commitLog(disk_ms)), /^failed: .*there is no WAL here/);
});

test("a torn file is an error and no default; set aside it is kept, and there is none", async () => {
  await using folder = await scratch();
  const disk = diskAt(folder.path);
  await writeFile(disk.paths.state, "duet-state 1\nsha256 0\n{");
  assert.match(await failureOf(disk.readState()), /^failed: /);
  await valueOf(disk.setStateAside());
  assert.deepEqual(await valueOf(disk.readState()), state_empty);
  const kept = (await readdir(folder.path)).filter((name) => name.startsWith("state.torn-"));
  assert.equal(kept.length, 1);
  assert.match(await readFile(join(folder.path, kept[0] ?? ""), "utf8"), /^duet-state 1\nsha256 0/);
  await valueOf(disk.writeState({ ...state_empty, full: true }));
  assert.deepEqual(await valueOf(disk.readState()), { ...state_empty, full: true });
});

test("duet's file is written by one program at a time, and only over what it has read", async () => {
  await using folder = await scratch();
  const [one, other] = [diskAt(folder.path), diskAt(folder.path)];
  const state: State = { ...state_empty, lineage: { epoch: 3, owner: "node1" }, full: true };
  await valueOf(other.readState());
  await valueOf(one.readState());
  await valueOf(one.writeState(state));
  await valueOf(one.writeState(state));
  assert.deepEqual(await valueOf(one.readState()), state);
  assert.match(await failureOf(other.writeState(state_empty)), /^changed: /);
  assert.deepEqual(await valueOf(other.readState()), state);
  await valueOf(other.writeState({ ...state, full: false }));
  assert.match(await failureOf(one.writeState(state)), /^changed: /);

  await valueOf(one.readState());
  {
    await using held = await open(`${one.paths.state}.lock`, "a");
    await run(["flock", "--exclusive", "--nonblock", "3"], { inherit: [held.fd] });
    assert.match(await failureOf(one.writeState(state)), /^changed: /);
  }
  await valueOf(one.writeState(state));

  await writeFile(one.paths.state, (await readFile(one.paths.state, "utf8")).replace("3", "4"));
  assert.match(await failureOf(one.readState()), /^failed: .*torn or was changed by hand/);
});

for (const etcd of [newest, ...others])
  test(`etcd ${etcd.version}: a survivor's log is judged, kept and committed, each time once`, async () => {
    await using folder = await scratch();
    const pair = await Pair.create(etcd, folder.path, []);
    const { a, b } = pair;
    const disk = diskAt(folder.path, b.folder);
    try {
      await pair.startFirst();
      await pair.join(b, a);
      await pair.promote(b, a);
      for (let n = 0; n < 20; n += 1) await b.put(`key${n}`, "x");
      assert.match(await failureOf(disk.moveAside(disk_ms)), /^refused: .*an etcd runs on this data/);
      assert.match(await failureOf(disk.commitLog(disk_ms)), /^refused: .*an etcd runs on this data/);
      await soundWhileWritten(b, diskAt(folder.path, b.folder, true));
      await pair.kill();

      const [mine, theirs] = [
        await factsAsEtcd(newest.folder, b.folder),
        await factsAsEtcd(newest.folder, a.folder),
      ];
      const voter = {
        ...nothing,
        data: true,
        standing: "voter" as const,
        others: theirs.memberId.toString(16),
        version: `${etcd.version}.0`,
      };
      assert.deepEqual(await valueOf(disk.inspect()), voter);
      assert.deepEqual(await valueOf(disk.logEnd()), mine.last);
      assert.equal(await valueOf(diskAt(folder.path, b.folder, true).logEnd()), undefined);

      const state: State = { ...state_empty, lineage: { epoch: 7, owner: "node2" }, full: true };
      await valueOf(disk.writeState(state));
      await valueOf(disk.keepWal(7, disk_ms));
      const kept = join(disk.paths.kept, "epoch-7");
      const before = await readFile(join(kept, sums_name), "utf8");
      await valueOf(disk.commitLog(disk_ms));
      await valueOf(disk.keepWal(7, disk_ms));
      await valueOf(disk.commitLog(disk_ms));
      assert.deepEqual(await readdir(disk.paths.kept), ["epoch-7"]);
      assert.equal(await readFile(join(kept, sums_name), "utf8"), before);
      assert.ok(await checkKept(kept));
      const committed = await factsAsEtcd(newest.folder, b.folder);
      assert.deepEqual([committed.hardState.commit, committed.last], [mine.last.index, mine.last]);

      b.start(["--force-new-cluster"]);
      await b.ready();
      for (let n = 0; n < 20; n += 1) assert.ok((await b.keys()).has(`key${n}`));
      await b.kill();
      assert.deepEqual(await valueOf(disk.inspect()), { ...voter, soleVoter: true, others: "" });
      await asideOnce(disk);
    } finally {
      await pair.kill();
    }
  });

/** A log that grows while it is read is a sound one all the same. */
async function soundWhileWritten(
  member: Pair["b"],
  disk: Pick<DiskEffects, "inspect"> & { readonly notes: string[] },
) {
  const ended = new AbortController();
  const value = "v".repeat(100_000);
  const write = async (n: number) => {
    for (let round = 0; !ended.signal.aborted; round += 1) await member.put(`grown${n}-${round}`, value);
  };
  const writers = Promise.all([0, 1, 2, 3].map(write));
  for (let n = 0; n < 20; n += 1) {
    const { standing, tailLost } = await valueOf(disk.inspect());
    assert.deepEqual([standing, tailLost, disk.notes], ["voter", false, []]);
    // Reading waits for nothing: without this nobody would write.
    await sleep(20);
  }
  ended.abort();
  await writers;
}

async function asideOnce(disk: ReturnType<typeof diskAt>) {
  const { kept, etcdData } = disk.paths;
  const held = await readdir(join(etcdData, "member"), { recursive: true });
  await valueOf(disk.moveAside(disk_ms));
  await valueOf(disk.moveAside(disk_ms));
  assert.deepEqual((await readdir(kept)).toSorted(), ["aside-0001", "epoch-7"]);
  const copy = join(kept, "aside-0001");
  assert.deepEqual((await readdir(join(copy, "member"), { recursive: true })).toSorted(), held.toSorted());
  await run(["sha256sum", "--check", "--strict", "--quiet", sums_name], { cwd: copy });
  assert.ok(await checkKept(copy));
  assert.deepEqual(await valueOf(disk.inspect()), nothing);
  assert.deepEqual(await readdir(etcdData), []);

  // A crash before the rename left an empty folder, one after it a copy without hashes; data is there again.
  await mkdir(join(kept, "aside-0002"));
  await mkdir(join(kept, "aside-0003"));
  for (const member of [join(kept, "aside-0003", "member"), join(etcdData, "member")])
    await copyFolder(join(copy, "member"), member);
  await valueOf(disk.moveAside(disk_ms));
  assert.deepEqual(await readdir(etcdData), []);
  assert.equal((await readdir(kept)).length, 4);
  for (const name of ["aside-0002", "aside-0003"]) assert.ok(await checkKept(join(kept, name)));
  assert.deepEqual(disk.notes, []);
}

test("a log that can't be read is data of which nothing is known, and can be moved aside", async () => {
  await using folder = await scratch();
  const pair = await Pair.create(newest, folder.path, []);
  const disk = diskAt(folder.path, pair.a.folder);
  try {
    await pair.startFirst();
    for (let n = 0; n < 20; n += 1) await pair.a.put(`key${n}`, "x".repeat(1000));
    await pair.kill();
    assert.equal((await valueOf(disk.inspect())).soleVoter, true);
    const wal = join(pair.a.folder, "member", "wal");
    const segment = join(wal, (await readdir(wal)).find((name) => name.endsWith(".wal")) ?? "");
    {
      await using file: FileHandle = await open(segment, "r+");
      await file.write(Buffer.from("rotten"), 0, 6, 10_000);
    }
    assert.deepEqual(await valueOf(disk.inspect()), { ...nothing, data: true, standing: "unknown" });
    assert.equal(disk.notes.length, 1);
    assert.match(disk.notes[0] ?? "", /\.wal@\d+: /);
    assert.match(await failureOf(disk.logEnd()), /^failed: /);
    assert.match(await failureOf(disk.commitLog(disk_ms)), /^failed: /);
    const { size } = await stat(segment);
    await valueOf(disk.moveAside(disk_ms));
    assert.deepEqual(await valueOf(disk.inspect()), nothing);
    const aside = join(disk.paths.kept, "aside-0001", "member", "wal", segment.slice(wal.length + 1));
    assert.equal((await stat(aside)).size, size);
  } finally {
    await pair.kill();
  }
});
