import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { Pair, scratch, versions } from "../../../lab/etcd36/testing.ts";
import type { LogFacts } from "../../act/effects.ts";
import { readMember } from "../../facts/facts.ts";
import { until } from "../../machine/clock.ts";
import { run } from "../../machine/process.ts";
import { startEtcdScript } from "./start-etcd.ts";

const log = (change: Partial<LogFacts>): LogFacts => ({
  data: true,
  standing: "voter",
  soleVoter: false,
  removalInLog: false,
  tailLost: false,
  others: "",
  ...change,
});
const scriptOf = (change: Partial<LogFacts>) =>
  startEtcdScript({
    machine: "node1",
    peer: "node2",
    at: "2026-11-16T00:00:00.000Z",
    log: log(change),
    lineage: { epoch: 3, owner: "node2" },
  });

test("the only voter starts as it is, on the loopback address and with nothing else said", () => {
  const script = scriptOf({ soleVoter: true });
  assert.match(script, /^#!\/bin\/sh\n# Written by `duet uninstall` on node1/);
  assert.match(script, /epoch 3 of node2/);
  assert.match(script, /etcd \\\n +--name node1 --data-dir \/var\/lib\/duet\/etcd \\/);
  assert.doesNotMatch(script, /force-new-cluster|restore|0\.0\.0\.0/);
});

test("a voter that did not leave is started alone by duet's word, and the script says what that may cost", () => {
  assert.match(scriptOf({}), /Not while etcd runs on node2/);
  assert.doesNotMatch(scriptOf({}), /--force-new-cluster/, "never without the record in its log");
  for (const unfit of [{ tailLost: true }, { removalInLog: true }]) {
    assert.match(scriptOf(unfit), /etcdutl snapshot restore/);
    assert.doesNotMatch(scriptOf(unfit), /duet wal alone/, "it would be refused");
  }
});

/** Runs the script on this data, with an etcd that only tells its flags; duet is this one, or one that fails. */
async function runOn(data: string, folder: string, duet: string) {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "etcd"), '#!/bin/sh\nprintf "%s " "$@"\n', { mode: 0o755 });
  await writeFile(join(bin, "duet"), `#!/bin/sh\n${duet}\n`, { mode: 0o755 });
  const script = scriptOf({}).replaceAll("/var/lib/duet/etcd", data);
  return await run(["sh", "-c", script], { accept: "any", env: { PATH: `${bin}:${process.env["PATH"]}` } });
}
const thisDuet = `exec ${process.execPath} --disable-warning=ExperimentalWarning ${join(import.meta.dirname, "..", "..", "cli", "main.ts")} "$@"`;

test("what a follower's log holds is kept by the forced start, and the second start needs no force", async () => {
  const [etcd] = await versions();
  await using folder = await scratch();
  const pair = await Pair.create(etcd, folder.path, []);
  const { a, b } = pair;
  try {
    await pair.startFirst();
    await pair.join(b, a);
    await pair.promote(b, a);
    let last = "";
    await until(
      "the follower was cut off before it learned what is committed",
      async () => {
        last = `key${randomUUID()}`;
        await a.put(last, "acknowledged");
        await pair.kill();
        const facts = readMember(b.folder)?.facts;
        assert.ok(facts !== undefined);
        if (facts.hardState.commit < facts.last.index) return true;
        await pair.restart();
        return false;
      },
      { deadline_ms: 60_000, every_ms: 1 },
    );
    const failing = await runOn(b.folder, folder.path, "exit 1");
    assert.equal(failing.status, 1);
    assert.equal(failing.stdout, "", "etcd was not started");
    assert.match(failing.stderr, /may drop what was acknowledged/);

    const first = await runOn(b.folder, folder.path, thisDuet);
    assert.match(first.stdout, / --force-new-cluster $/, first.stderr);
    b.start(["--force-new-cluster"]);
    await b.ready();
    assert.ok((await b.keys()).has(last), "the write that a client was told of");
    await b.kill();
    const second = await runOn(b.folder, folder.path, thisDuet);
    assert.equal(second.status, 0);
    assert.doesNotMatch(second.stdout, /--force-new-cluster/);
    assert.match(second.stdout, /--data-dir/);
  } finally {
    await pair.kill();
  }
});

test("who left gets a copy of its database, and is told who has the newer data", () => {
  for (const standing of ["removed", "learner", "unknown"] as const) {
    const script = scriptOf({ standing, removalInLog: standing === "removed" });
    assert.match(script, /The newer data is on node2/);
    assert.match(script, /etcdutl snapshot restore \/var\/lib\/duet\/etcd\/member\/snap\/db/);
    assert.match(script, /--data-dir \/var\/lib\/duet\/etcd-restored \\\n +--listen/);
  }
});

test("where there is no data the script says so and fails", async () => {
  const { status, stderr } = await run(["sh", "-c", scriptOf({ data: false, standing: "none" })], {
    accept: "any",
  });
  assert.equal(status, 1);
  assert.match(stderr, /holds no data/);
});

test("each of them is a script that a shell can read", async () => {
  for (const change of [
    { soleVoter: true },
    {},
    { standing: "removed" },
    { data: false, standing: "none" },
  ] as const)
    await run(["sh", "-n"], { input: scriptOf(change) });
});
