import assert from "node:assert/strict";
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Etcd } from "../../../lab/etcd36/process.ts";
import { factsAsEtcd, Pair, scratch, versions } from "../../../lab/etcd36/testing.ts";
import type { State } from "../../act/effects.ts";
import { revisions_per_loss } from "../../decide/lineage.ts";
import { writeCommitRecord } from "../../facts/commit-record.ts";
import { readMemberFacts } from "../../facts/facts.ts";
import { state_empty } from "../../facts/state.ts";
import { exists } from "../../machine/files.ts";
import { diskEffects } from "./disk.ts";
import { failureOf, valueOf } from "./testing-outcome.ts";
import { stagedAt } from "./staged.ts";

const disk_ms = 60_000;
const epoch = 1_000_000;
const [newest, ...others] = await versions();
const owed: State = { ...state_empty, lineage: { epoch, owner: "b" }, full: true, bump: "owed" };

function diskAt(folder: string, data: string, peer: string, etcdutl: string) {
  const paths = { etcdData: data, state: join(folder, "state"), kept: join(folder, "kept") };
  const self = { name: "b", peerUrls: [peer] };
  return { ...diskEffects({ paths, isRunning: async () => false, note: () => {}, self, etcdutl }), paths };
}

const revisionOf = async (b: Pair["b"]): Promise<number> => {
  const { stdout } = await b.ctl(["get", "key0", "--write-out=json"]);
  return Number(/"revision":(\d+)/.exec(stdout)?.[1]);
};

/** Two voters, of which the first is lost; the second is made a cluster of one, and stopped as `signal` says. */
async function alone(etcd: Etcd, folder: string, signal: "SIGKILL" | "SIGTERM") {
  const pair = await Pair.create(etcd, folder, []);
  const { a, b } = pair;
  await pair.startFirst();
  await pair.join(b, a);
  await pair.promote(b, a);
  for (let n = 0; n < 20; n += 1) await b.put(`key${n}`, "x");
  await pair.kill();
  await writeCommitRecord(b.folder, join(folder, "wal-before"));
  // Its database is written when it is stopped, and not before.
  b.start(["--force-new-cluster", "--backend-batch-interval=1h", "--backend-batch-limit=1000000"]);
  await b.ready();
  await b.put("last", "x");
  const before = await revisionOf(b);
  await b.kill(signal);
  return { pair, before };
}

for (const etcd of [newest, ...others])
  test(`etcd ${etcd.version}: revisions are raised, old ones are compacted, and the cluster goes on`, async () => {
    await using folder = await scratch();
    const { pair, before } = await alone(etcd, folder.path, "SIGTERM");
    const { a, b } = pair;
    const disk = diskAt(folder.path, b.folder, b.peer, join(etcd.folder, "etcdutl"));
    try {
      await valueOf(disk.writeState(owed));
      const old = readMemberFacts(b.folder);
      assert.equal(await valueOf(disk.bumpOf(epoch, disk_ms)), "possible");
      await valueOf(disk.stageBump(epoch, disk_ms));
      // Once more, as after a crash: what is there is made anew.
      await valueOf(disk.stageBump(epoch, disk_ms));
      assert.equal(await valueOf(disk.bumpOf(epoch, disk_ms)), "possible");
      await valueOf(disk.swapBump(disk_ms));
      assert.equal(await valueOf(disk.bumpOf(epoch, disk_ms)), "done");
      assert.equal(await valueOf(disk.bumpOf(epoch + 1, disk_ms)), "possible");
      assert.deepEqual(await readdir(disk.paths.kept), ["aside-0001"]);
      assert.equal(await exists(stagedAt(b.folder)), false);

      assert.deepEqual(await valueOf(disk.inspect()), {
        data: true,
        standing: "voter",
        soleVoter: true,
        removalInLog: false,
        tailLost: false,
        others: "",
        version: `${etcd.version}.0`,
      });
      const facts = await factsAsEtcd(newest.folder, b.folder);
      assert.notEqual(facts.clusterId, old?.clusterId);
      b.start([]);
      await b.ready();
      assert.equal(await revisionOf(b), before + revisions_per_loss);
      const keys = await b.keys();
      for (let n = 0; n < 20; n += 1) assert.ok(keys.has(`key${n}`));
      assert.ok(keys.has("last"));
      const watch = await b.ctl(["watch", "key0", "--rev=5"], "any");
      assert.match(watch.stdout + watch.stderr, /required revision has been compacted/);

      await pair.join(a, b);
      await pair.promote(a, b);
      await a.put("both", "x");
      assert.ok((await revisionOf(b)) > before + revisions_per_loss);
      await pair.kill();
      await factsAsEtcd(newest.folder, b.folder);
      assert.equal((await valueOf(disk.inspect())).soleVoter, false);
    } finally {
      await pair.kill();
    }
  });

test("between the two renames of a swap the data is there, for who looks and for who goes on", async () => {
  await using folder = await scratch();
  const { pair } = await alone(newest, folder.path, "SIGTERM");
  const { b } = pair;
  const disk = diskAt(folder.path, b.folder, b.peer, join(newest.folder, "etcdutl"));
  await valueOf(disk.writeState(owed));
  await valueOf(disk.stageBump(epoch, disk_ms));
  const cut = async (name: string) => {
    await mkdir(join(disk.paths.kept, name), { recursive: true });
    await rename(join(b.folder, "member"), join(disk.paths.kept, name, "member"));
  };
  await cut("aside-0001");
  const seen = await valueOf(disk.inspect());
  assert.deepEqual([seen.data, seen.standing, seen.soleVoter], [true, "voter", true]);
  assert.ok((await valueOf(disk.logEnd())) !== undefined);
  // Left from another time it is nothing.
  await valueOf(disk.readState());
  await valueOf(disk.writeState({ ...owed, bump: undefined }));
  assert.equal((await valueOf(disk.inspect())).data, false);
  await valueOf(disk.writeState(owed));

  assert.equal(await valueOf(disk.bumpOf(epoch, disk_ms)), "done");
  assert.equal(await exists(stagedAt(b.folder)), false);
  assert.ok((await valueOf(disk.inspect())).soleVoter);

  // Given up in that moment: it goes aside like any data, and nothing of it looks like data afterwards.
  await valueOf(disk.stageBump(epoch, disk_ms));
  await cut("aside-0002");
  await valueOf(disk.moveAside(disk_ms));
  assert.deepEqual((await readdir(disk.paths.kept)).toSorted(), ["aside-0001", "aside-0002", "aside-0003"]);
  assert.equal((await valueOf(disk.inspect())).data, false);
  assert.equal(await exists(stagedAt(b.folder)), false);
});

test("of a database that lacks the end of the log nothing is made", async () => {
  await using folder = await scratch();
  const { pair } = await alone(newest, folder.path, "SIGKILL");
  const { b } = pair;
  const disk = diskAt(folder.path, b.folder, b.peer, join(newest.folder, "etcdutl"));
  assert.match(await failureOf(disk.stageBump(epoch, disk_ms)), /^changed: the database holds entry/);
  assert.equal(await exists(stagedAt(b.folder)), false);
});

test("without an etcdutl, or with one that can't, it is said that it is impossible; and a swap of nothing moves nothing", async () => {
  await using folder = await scratch();
  const data = join(folder.path, "etcd");
  await mkdir(join(data, "member"), { recursive: true });
  const old = join(folder.path, "old");
  await writeFile(old, "#!/bin/sh\necho 'unknown command'\n", { mode: 0o755 });
  for (const etcdutl of [join(folder.path, "none"), old]) {
    const disk = diskAt(folder.path, data, "https://192.0.2.1:2380", etcdutl);
    assert.equal(await valueOf(disk.bumpOf(epoch, disk_ms)), "impossible");
  }
  const disk = diskAt(folder.path, data, "https://192.0.2.1:2380", old);
  assert.match(await failureOf(disk.swapBump(disk_ms)), /^refused: /);
  assert.ok(await exists(join(data, "member")));
});
