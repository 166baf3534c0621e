import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { EtcdProcess } from "../../lab/etcd36/process.ts";
import { copyFolder, Pair, scratch, versions } from "../../lab/etcd36/testing.ts";
import { until } from "../machine/clock.ts";
import { readMember, readMemberFacts } from "./facts.ts";

const [newest, ...others] = await versions();
/** None where the machines' image is not built. */
const older = others.filter(({ version }) => version === "3.5");
const versionIn = (who: EtcdProcess): string | undefined => readMemberFacts(who.folder)?.version;

async function clusterVersion(who: EtcdProcess, wanted: string): Promise<void> {
  await until(
    `the cluster works by ${wanted}`,
    async () => {
      const answer = await fetch(`${who.client}/version`, { signal: AbortSignal.timeout(2000) });
      return (await answer.text()).includes(`"etcdcluster":"${wanted}"`);
    },
    { deadline_ms: 30_000 },
  );
}

/** 3.5 sets the first one in an older way, which only its database tells, and that is written behind. */
async function isWritten(who: EtcdProcess, wanted: string): Promise<void> {
  const copy = `${who.folder}.written`;
  await until(
    `the database of ${who.name} tells ${wanted}`,
    async () => {
      await rm(copy, { recursive: true, force: true });
      await copyFolder(who.folder, copy);
      try {
        return readMemberFacts(copy)?.version === wanted;
      } catch {
        // Copied while it was written.
        return false;
      }
    },
    { deadline_ms: 30_000 },
  );
  await rm(copy, { recursive: true });
}

for (const etcd of [newest, ...others])
  test(`etcd ${etcd.version}: its data names it, with and without a snapshot${etcd === newest ? ", and however soon it was killed" : ""}`, async () => {
    await using folder = await scratch();
    for (const flags of [[], ["--snapshot-count=15"]]) {
      const a = await EtcdProcess.create(etcd, `a${flags.length}`, folder.path);
      try {
        a.start([...flags, "--initial-cluster", `${a.name}=${a.peer}`]);
        await a.ready();
        await clusterVersion(a, `${etcd.version}.0`);
        for (let n = 0; n < 40; n += 1) await a.put(`key${n}`, "v");
        if (etcd !== newest) await isWritten(a, `${etcd.version}.0`);
        await a.kill();
        assert.equal(versionIn(a), `${etcd.version}.0`);
        if (etcd === newest)
          assert.deepEqual(
            readMember(a.folder)?.scan.versions.map(({ version }) => version),
            [`${etcd.version}.0`],
          );
      } finally {
        await a.kill();
      }
    }
  });

for (const before of older)
  test("side by side the data stays of the older one; with the newer alone it is of the newer", async () => {
    await using folder = await scratch();
    const pair = await Pair.create(before, folder.path, []);
    const { a, b } = pair;
    try {
      await pair.startFirst();
      b.etcd = newest;
      await pair.join(b, a);
      await pair.promote(b, a);
      await a.put("both", "x");
      await clusterVersion(b, "3.5.0");
      for (const each of [a, b]) await isWritten(each, "3.5.0");
      await pair.kill();
      assert.deepEqual([versionIn(a), versionIn(b)], ["3.5.0", "3.5.0"]);
      // As long as that is so, either may go back to what it was.
      b.etcd = before;
      await pair.restart();
      await b.put("back", "x");
      await pair.kill();
      b.etcd = newest;
      b.start(["--force-new-cluster"]);
      await b.ready();
      await clusterVersion(b, "3.6.0");
      await b.kill();
      assert.equal(versionIn(b), "3.6.0");
    } finally {
      await pair.kill();
    }
  });

/**
 * What is left where duet can't tell the version of a program: etcd refuses by itself. That comes after it has written to the
 * database, and takes nothing away.
 */
for (const before of older)
  test("an older etcd ends by itself on newer data, changes the database first, and loses nothing of it", async () => {
    await using folder = await scratch();
    const a = await EtcdProcess.create(newest, "a", folder.path);
    try {
      a.start(["--initial-cluster", `a=${a.peer}`]);
      await a.ready();
      await clusterVersion(a, "3.6.0");
      for (let n = 0; n < 50; n += 1) await a.put(`key${n}`, "v");
      await a.kill();
      const sums = await sumsOf(a.folder);
      assert.equal(versionIn(a), "3.6.0");
      assert.deepEqual(await sumsOf(a.folder), sums, "reading changes nothing");
      await copyFolder(a.folder, `${a.folder}.before`);
      a.etcd = before;
      await a.forgetLog();
      a.start([]);
      assert.notEqual(await a.ended(), 0);
      assert.match(
        await a.log(),
        /invalid downgrade; server version is lower than determined cluster version/,
      );
      assert.notDeepEqual(await sumsOf(a.folder), sums, "so late does etcd look that it has written already");
      a.etcd = newest;
      a.start([]);
      await a.ready();
      assert.equal((await a.keys()).size, 50);
    } finally {
      await a.kill();
    }
  });

async function sumsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  const sums = await Promise.all(
    names.toSorted().map(async (name) => {
      const hash = createHash("sha256").update(await readFile(name));
      return [name, hash.digest("hex")] as const;
    }),
  );
  return Object.fromEntries(sums);
}
