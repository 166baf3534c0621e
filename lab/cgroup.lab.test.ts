import assert from "node:assert/strict";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { readIfThere } from "../src/machine/files.ts";
import { allowRealTime, makeGroup, planCgroups, removeGroup } from "./cgroup.ts";
import { cgroupName } from "./folder.ts";

const runtime = "cpu.rt_runtime_us";
const asked_us = 5_000;

test("the share of real time of a lab that was killed is taken back where none is left for another", async (t) => {
  const tree = await planCgroups(cgroupName("/labs/of-the-cgroup-test"));
  const cpu = tree.folders.find((folder) => /\/cpu(,|\/)/.test(folder));
  const above = cpu === undefined ? undefined : dirname(cpu);
  if (above === undefined || (await readIfThere(join(above, runtime))) === undefined) {
    t.diagnostic("this host does not count such time by groups");
    return;
  }
  const dead = join(above, cgroupName("/labs/that-was-killed"));
  const machine = join(dead, "machine-1");
  try {
    await mkdir(machine, { recursive: true });
    await takeAll(dead);
    await writeFile(join(machine, runtime), await readFile(join(dead, runtime), "utf8"));
    await makeGroup(tree, "machine-1");
    await allowRealTime(tree, "machine-1");
    assert.ok(Number(await readFile(join(cpu ?? "", "machine-1", runtime), "utf8")) > asked_us);
  } finally {
    await removeGroup(tree);
    await rmdir(machine);
    await rmdir(dead);
  }
});

/** All that is left, to within what is asked for below. */
async function takeAll(folder: string): Promise<void> {
  let taken_us = 0;
  for (let step_us = 1_000_000; step_us >= asked_us; step_us /= 2) {
    const more = await writeFile(join(folder, runtime), String(taken_us + step_us)).then(
      () => true,
      () => false,
    );
    if (more) taken_us += step_us;
  }
  assert.ok(taken_us > 0, "the host has no real time to give at all");
}
