import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogFacts } from "../../act/effects.ts";
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

test("a voter that did not leave is forced, and the script says what that may cost", () => {
  assert.match(scriptOf({}), /--force-new-cluster\n/);
  assert.match(scriptOf({}), /Not while etcd runs on node2/);
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
