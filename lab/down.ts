import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { exists } from "../src/machine/files.ts";
import { run } from "../src/machine/process.ts";
import { type CgroupTree, killGroup, planCgroups, removeGroup } from "./cgroup.ts";
import { cgroupName, readRecord } from "./folder.ts";
import { lockedLab } from "./lock.ts";
import { releaseBrake } from "./metal/disk.ts";
import { mountsBelow } from "./mounts.ts";

/**
 * Takes a lab away, whatever state it is in: every process in its cgroups, every mount in its folder, the cgroups, the
 * folder. Needs nothing of the lab to be whole, so it also cleans up after a program that was killed half-way.
 */
export async function removeLab(folder: string): Promise<void> {
  const machines = join(folder, "machines");
  const names = await readdir(machines).catch(() => []);
  for (const tree of await cgroupTrees(folder)) {
    for (const name of names) await releaseBrake(join(machines, name), tree);
    await killGroup(tree, "");
    await removeGroup(tree);
  }
  // Only network namespaces are mounted there; the machines' own mounts ended with their processes.
  for (const mount of await mountsBelow(folder)) await run(["umount", mount]);
  await rm(folder, { recursive: true, force: true });
}

/** Where the record says, and where a lab of this folder would be made now: the record may be missing or half-written. */
async function cgroupTrees(folder: string): Promise<readonly CgroupTree[]> {
  const record = await readRecord(folder).catch(() => undefined);
  const planned = await planCgroups(cgroupName(folder));
  return record === undefined ? [planned] : [record.cgroups, planned];
}

/** Takes the lab of that name away; false where there was none. */
export async function takeDown(name: string): Promise<boolean> {
  return await lockedLab(name, async (folder) => {
    const was = await exists(folder);
    await removeLab(folder);
    return was;
  });
}
