import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import * as v from "valibot";
import { fail } from "../../src/base/problem.ts";
import { until } from "../../src/machine/clock.ts";
import { exists, readIfThere } from "../../src/machine/files.ts";
import { run, type RunResult } from "../../src/machine/process.ts";
import { type CgroupTree, makeGroup } from "../cgroup.ts";
import { cgroupsOf, type Lab, labHint, type LabMachine } from "../folder.ts";

/**
 * A machine's disk: an ext4 image in a file of bounded size. It holds what the machine changed of the OS image, so it
 * survives power cycles, and filling it fills nothing of the host.
 */
export async function makeDisk(lab: Lab, m: LabMachine): Promise<void> {
  await mkdir(join(m.folder, "disk"), { recursive: true });
  await mkdir(join(m.folder, "root"), { recursive: true });
  const image = imageFile(m);
  await writeFile(image, "", { mode: 0o600 });
  await run(["truncate", "--size", `${lab.record.disk_mb}M`, image]);
  await run([
    "mkfs.ext4",
    "-q",
    "-F",
    "-m",
    "0",
    "-E",
    "lazy_itable_init=1,lazy_journal_init=1,nodiscard",
    image,
  ]);
}

const withRootScript = join(import.meta.dirname, "with-root.sh");
/** Where a machine that has power has its disk mounted. */
const inside = (pidInside: number) => ["nsenter", "--target", String(pidInside), "--mount"] as const;
const imageFile = (m: LabMachine): string => join(m.folder, "disk.img");

/** The loop devices on a machine's image. A second mount of the same image would corrupt it: so this is asked first. */
async function loopDevices(m: LabMachine): Promise<readonly string[]> {
  const { stdout } = await run([
    "losetup",
    "--json",
    "--list",
    "--output",
    "NAME,BACK-FILE",
    "--associated",
    imageFile(m),
  ]);
  if (stdout.trim() === "") return [];
  const list = v.parse(
    v.object({ loopdevices: v.array(v.object({ name: v.string() })) }),
    JSON.parse(stdout),
  );
  return list.loopdevices.map((d) => d.name);
}

/** The kernel lets a disk go shortly after the last process that used it. */
export async function waitDiskFree(m: LabMachine): Promise<void> {
  await until(`the disk of ${m.machine.name} being let go`, async () => (await loopDevices(m)).length === 0, {
    deadline_ms: 20_000,
    every_ms: 20,
  });
}

/**
 * Power is gone for the disk: from this moment nothing reaches it, and what was not synced is lost, as on metal.
 * Without this the host's page cache would keep everything and no test could see a missing sync.
 */
export async function cutDisk(m: LabMachine, pidInside: number): Promise<void> {
  await run([...inside(pidInside), "xfs_io", "-x", "-c", "shutdown", join(m.folder, "disk")]);
}

/** Runs a command with the disk mounted at FOLDER/disk and the machine's root at FOLDER/root, while it has no power. */
export async function withRoot(
  lab: Lab,
  m: LabMachine,
  argv: readonly [string, ...string[]],
): Promise<RunResult> {
  await waitDiskFree(m);
  return await run(["sh", withRootScript, m.folder, lab.record.image, layersOf(lab), ...argv], {
    deadline_ms: 60_000,
  });
}

/** The layer above the OS image that carries duet: at a real site an image layer or a package does that. */
export const layerOf = (lab: Pick<Lab, "folder">): string => join(lab.folder, "layer");

/** All layers above the OS image, the topmost first, as an overlay's mount takes them. */
export const layersOf = (lab: Pick<Lab, "folder" | "record">): string => {
  const { kubernetes } = lab.record;
  return [layerOf(lab), ...(kubernetes === undefined ? [] : [kubernetes.layer])].join(":");
};

const fillFile = (m: LabMachine): string => join(m.folder, "disk", "filled-by-the-lab");

/** Leaves no free block on the machine's disk. */
export async function fillDisk(m: LabMachine, pidInside: number): Promise<void> {
  const { stdout } = await run([
    ...inside(pidInside),
    "df",
    "--block-size=1",
    "--output=avail",
    join(m.folder, "disk"),
  ]);
  const free = stdout.trim().split("\n").at(-1)?.trim() ?? "0";
  await run([...inside(pidInside), "fallocate", "--length", free, fillFile(m)], { accept: "any" });
  // What is left over, to the last block; ends with "no space left", which is what was asked for.
  await run(
    [
      ...inside(pidInside),
      "dd",
      "if=/dev/zero",
      `of=${fillFile(m)}`,
      "bs=4k",
      "oflag=append",
      "conv=notrunc",
      "status=none",
    ],
    {
      accept: [0, 1],
      deadline_ms: 300_000,
    },
  );
}

export async function freeDisk(m: LabMachine, pidInside: number): Promise<void> {
  await run([...inside(pidInside), "rm", "-f", fillFile(m)]);
}

/**
 * An error of the file system, made by the kernel's own door for that: it is mounted so that nothing is written any more then, by
 * anybody, until it is mounted anew.
 */
export async function breakDisk(m: LabMachine): Promise<void> {
  for (const device of await loopDevices(m))
    await writeFile(join("/sys/fs/ext4", basename(device), "trigger_fs_error"), "asked for by the lab");
}

export async function isBroken(m: LabMachine, pidInside: number): Promise<boolean> {
  const found = ["findmnt", "--noheadings", "--output", "FS-OPTIONS", join(m.folder, "disk")] as const;
  const { stdout } = await run([...inside(pidInside), ...found]);
  return stdout
    .trim()
    .split(",")
    .some((option) => option === "ro" || option === "emergency_ro");
}

/** Which block device has the brake on: kept in a file, since the kernel keeps it for the device's number, whoever has it next. */
const brakeFile = (machineFolder: string): string => join(machineFolder, "slow");
const topBrake = "/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device";

/** Each write to the disk takes at least `delay_ms`, so each sync does. */
export async function slowDisk(lab: Lab, m: LabMachine, delay_ms: number): Promise<void> {
  const [device] = await loopDevices(m);
  if (device === undefined)
    fail(
      "DUET-E-LAB-POWER",
      m.machine.name,
      "it has no power, so its disk can't be slow",
      labHint(lab.name, `power on ${m.machine.name}`),
    );
  const number = (await readFile(`/sys/block/${device.replace("/dev/", "")}/dev`, "utf8")).trim();
  const rate = Math.max(1, Math.floor(1000 / delay_ms));
  await writeFile(brakeFile(m.folder), number);
  const cgroups = cgroupsOf(lab);
  if (cgroups.version === 2) {
    await writeFile(join(cgroups.roster, m.group, "io.max"), `${number} wiops=${rate}`);
    return;
  }
  // Version 1 brakes a group and not those below it, so each gets one, and the top group, where the kernel's threads are.
  for (const group of [m.group, m.visitors]) await makeGroup(cgroups, group);
  const files = await brakesIn(cgroups, [m.group, m.visitors]);
  for (const file of [topBrake, ...files]) await writeFile(file, `${number} ${rate}`);
}

/** What a brake is written to: in the machine's own groups and in all below them, or in all of the lab. */
async function brakesIn(tree: CgroupTree, groups: readonly string[]): Promise<readonly string[]> {
  const [top, file] =
    tree.version === 2
      ? [tree.roster, "io.max"]
      : [tree.folders.find((f) => f.startsWith("/sys/fs/cgroup/blkio/")), "blkio.throttle.write_iops_device"];
  if (top === undefined) return [];
  const found: string[] = [];
  for (const group of groups) {
    const folder = join(top, group);
    if (!(await exists(folder))) continue;
    const below = await readdir(folder, { recursive: true, withFileTypes: true });
    found.push(folder, ...below.filter((e) => e.isDirectory()).map((e) => join(e.parentPath, e.name)));
  }
  return found.map((folder) => join(folder, file));
}

export const isSlow = (m: LabMachine): Promise<boolean> => exists(brakeFile(m.folder));

/** Takes the brake off, where there is one. A process that waits for a slow disk does not end, not even killed. */
export async function releaseBrake(machineFolder: string, tree: CgroupTree): Promise<void> {
  const number = await readIfThere(brakeFile(machineFolder));
  if (number === undefined) return;
  const free = tree.version === 2 ? "wiops=max" : "0";
  const files = [...(tree.version === 2 ? [] : [topBrake]), ...(await brakesIn(tree, [""]))];
  for (const file of files) if (await exists(file)) await writeFile(file, `${number} ${free}`);
  await rm(brakeFile(machineFolder));
}
