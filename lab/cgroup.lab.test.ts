import assert from "node:assert/strict";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { readIfThere } from "../src/machine/files.ts";
import { allowRealTime, makeGroup, planCgroups, removeGroup } from "./cgroup.ts";
import { cgroupName } from "./folder.ts";

const runtime = "cpu.rt_runtime_us";
const share = { period_us: 500_000, machine_us: 5_000, lab_us: 10_000 };

/**
 * In a group of this test's own that has what one lab gets, a fiftieth of a processor's time: a lab of another test lives beside it, comes and
 * goes, and neither may be short of what the other has.
 */
test("the share of real time of a lab that was killed is taken back where none is left for another", async (t) => {
  const planned = await planCgroups(`duet-test-of-real-time-${process.pid}`);
  const host = planned.folders.find((folder) => /\/cpu(,|\/)/.test(folder));
  if (host === undefined || (await readIfThere(join(dirname(host), runtime))) === undefined) {
    t.diagnostic("this host does not count such time by groups");
    return;
  }
  const dead = join(host, cgroupName("/labs/that-was-killed"));
  const lab = join(host, cgroupName("/labs/that-is-started"));
  const tree = { version: 1, folders: [lab], roster: lab } as const;
  try {
    for (const [folder, runtime_us] of [
      [host, share.lab_us],
      [dead, share.lab_us],
      [join(dead, "machine-1"), share.machine_us],
    ] as const) {
      await mkdir(folder);
      await writeFile(join(folder, "cpu.rt_period_us"), String(share.period_us));
      await writeFile(join(folder, runtime), String(runtime_us));
    }
    await makeGroup(tree, "machine-1");
    await allowRealTime(tree, "machine-1", share);
    assert.equal(Number(await readFile(join(lab, "machine-1", runtime), "utf8")), share.machine_us);
    assert.equal(Number(await readFile(join(dead, runtime), "utf8")), 0);
  } finally {
    await removeGroup(tree);
    for (const folder of [join(dead, "machine-1"), dead, host]) await rmdir(folder).catch(() => undefined);
  }
});
