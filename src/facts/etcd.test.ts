import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { dumpLogs } from "../../lab/etcd36/oracle.ts";
import { EtcdProcess } from "../../lab/etcd36/process.ts";
import { factsAsEtcd, memberId, Pair, scratch, versions } from "../../lab/etcd36/testing.ts";
import { until } from "../machine/clock.ts";
import { run } from "../machine/process.ts";
import { writeCommitRecord } from "./commit-record.ts";
import { snapshotName } from "./snapshot.ts";

const [newest, ...others] = await versions();

for (const etcd of [newest, ...others]) {
  test(`etcd ${etcd.version}: a member's life, from first start to removal, read as etcd reads it`, async () => {
    await using folder = await scratch();
    // So few that the learner can't be served from the log: it gets a snapshot.
    const few =
      etcd.version === "3.5" ? "--experimental-snapshot-catchup-entries=5" : "--snapshot-catchup-entries=5";
    const pair = await Pair.create(etcd, folder.path, ["--snapshot-count=15", few]);
    const { a, b } = pair;
    try {
      const facts = async (who: EtcdProcess) => {
        const found = await factsAsEtcd(newest.folder, who.folder);
        const from = found.snapshot && snapshotName(found.snapshot);
        const { entries, last } = await dumpLogs(newest.folder, who.folder, from);
        assert.equal(entries, found.first === undefined ? 0 : found.last.index - found.first.index + 1);
        if (entries > 0) assert.equal(last, found.last.index);
        return found;
      };
      await pair.startFirst();
      for (let n = 0; n < 20; n += 1) await a.put(`first${n}`, "x".repeat(n * 20));
      await until("a snapshot is in its log", async () => (await a.log()).includes("saved snapshot"), {
        deadline_ms: 60_000,
      });
      await a.kill();
      const alone = await facts(a);
      assert.equal(alone.standing, "voter");
      assert.deepEqual(alone.configuration.voters, [alone.memberId]);
      assert.ok(alone.snapshot !== undefined, "a snapshot was taken on the way");

      a.start(pair.flags);
      await a.ready();
      await pair.join(b, a);
      await until("the learner has the log", async () => await isLearner(b), { deadline_ms: 60_000 });
      await pair.kill();
      const learner = await facts(b);
      assert.equal(learner.standing, "learner");
      assert.ok(learner.snapshot !== undefined, "it began with a snapshot of its leader's");
      const seen = await facts(a);
      assert.deepEqual(seen.configuration.learners, [learner.memberId]);

      // A learner can't answer for the cluster: only the voter is waited for.
      a.start(pair.flags);
      b.start(pair.flags);
      await a.ready();
      await pair.promote(b, a);
      await b.put("both", "x");
      await pair.kill();
      assert.equal((await facts(a)).standing, "voter");
      const promoted = await facts(b);
      assert.equal(promoted.standing, "voter");
      assert.equal(promoted.configuration.voters.length, 2);

      await pair.restart();
      const id = await memberId(b, a);
      await a.ctl(["member", "update", id, `--peer-urls=${b.peer}`]);
      for (let n = 0; n < 40; n += 1) await b.put(`second${n}`, "y");
      await a.ctl(["member", "remove", id]);
      // etcd ends by itself when it reads that it was removed.
      await b.ended();
      await a.kill();
      const removed = await facts(b);
      assert.equal(removed.standing, "removed");
      assert.equal(removed.removalInLog, true);
      const left = await facts(a);
      assert.deepEqual(left.configuration, {
        voters: [left.memberId],
        learners: [],
        removed: [removed.memberId],
        unknown: undefined,
      });
      await assert.rejects(
        writeCommitRecord(b.folder, join(folder.path, "copy")),
        /may not commit its log alone: by that log it is removed/,
      );
    } finally {
      await pair.kill();
    }
  });

  test(`etcd ${etcd.version}: many segments, and data that etcdutl restored`, async () => {
    await using folder = await scratch();
    const a = await EtcdProcess.create(etcd, "a", folder.path);
    const first = ["--initial-cluster", `a=${a.peer}`];
    try {
      a.start([...first, "--snapshot-count", "100", "--max-wals", "2"]);
      await a.ready();
      const value = "v".repeat(400_000);
      const write = async (from: number) => {
        for (let n = from; n < 420; n += 6) await a.put(`key${n}`, value);
      };
      await Promise.all([0, 1, 2, 3, 4, 5].map(write));
      const snapshot = join(folder.path, "snapshot.db");
      // Some 170 MB, which a busy disk does not take in etcdctl's usual three seconds.
      await a.ctl(["--command-timeout=50s", "snapshot", "save", snapshot]);
      await a.kill();
      const facts = await factsAsEtcd(newest.folder, a.folder);
      assert.ok(facts.sizes.segments >= 2);
      assert.ok(facts.sizes.bytes_used > 64_000_000);
      assert.equal(facts.standing, "voter");

      const { facts: after } = await writeCommitRecord(a.folder, join(folder.path, "copy"));
      assert.equal(after.hardState.commit, facts.last.index);
      await factsAsEtcd(newest.folder, a.folder);
      a.start([...first, "--force-new-cluster"]);
      await a.ready();
      assert.equal((await a.keys()).size, 420);
      await a.kill();

      await rm(a.folder, { recursive: true });
      const restore = [
        join(etcd.folder, "etcdutl"),
        "snapshot",
        "restore",
        snapshot,
        "--data-dir",
        a.folder,
      ] as const;
      await run([...restore, "--name", "a", ...first, "--initial-advertise-peer-urls", a.peer], {
        deadline_ms: 60_000,
      });
      const restored = await factsAsEtcd(newest.folder, a.folder);
      assert.equal(restored.standing, "voter");
      assert.equal(restored.snapshot?.index, restored.last.index);
      assert.equal(restored.applied, restored.last.index);
    } finally {
      await a.kill();
    }
  });
}

async function isLearner(who: EtcdProcess): Promise<boolean> {
  try {
    const status = await who.post("maintenance/status", {});
    return JSON.stringify(status).includes('"isLearner":true');
  } catch {
    return false;
  }
}
