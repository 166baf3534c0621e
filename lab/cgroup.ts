import { mkdir, readdir, readFile, rmdir, statfs, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { until } from "../src/machine/clock.ts";
import { errnoOf, isMissing, readIfThere } from "../src/machine/files.ts";

/**
 * Every process of a lab lives in cgroups of the lab's own. So they are found again whatever happened to the program
 * that started them, and a process id that was reused is never mistaken for ours.
 */
export interface CgroupTree {
  readonly version: 1 | 2;
  /** The lab's folder in each hierarchy; version 2 has one. */
  readonly folders: readonly string[];
  /** The one of them that lists and freezes processes. */
  readonly roster: string;
}

const mount = "/sys/fs/cgroup";
/** The names that `cgroupName` makes. */
const labGroup = /^duet-lab-[0-9a-f]{10}$/;
const magic_v2 = 0x63677270;
const unified = join(mount, "unified");

/** Where a lab's cgroups are to be, made by nobody yet. */
export async function planCgroups(name: string): Promise<CgroupTree> {
  if ((await statfs(mount)).type === magic_v2) {
    // At the top: only there may a group have both processes beside it and controllers below it.
    const folder = join(mount, name);
    return { version: 2, folders: [folder], roster: folder };
  }
  const own = await readFile("/proc/self/cgroup", "utf8");
  const folders = foldersIn(own, name, await hasBothVersions());
  const roster = folders.find((f) => f.startsWith(join(mount, "freezer")));
  if (roster === undefined) throw new Error("this kernel has no freezer cgroup");
  return { version: 1, folders, roster };
}

/**
 * Version 1: below the group that this process is in, so that limits set on it stay in force; `own` is as the kernel lists it. Where
 * version 2 is mounted beside it, there too: systemd-nspawn takes the machine's place in systemd's own hierarchy from it. Machines that
 * share that place share a group for each service of one name: the end of one takes the other's away, and a kubelet ends the other's
 * pods as strays.
 */
export function foldersIn(own: string, name: string, bothVersions: boolean): readonly string[] {
  return own.split("\n").flatMap((line) => {
    const [, controllers, path = ""] = line.split(":");
    if (controllers === undefined) return [];
    if (controllers !== "") return [join(mount, controllers.replace("name=", ""), path, name)];
    return bothVersions ? [join(unified, path, name)] : [];
  });
}

async function hasBothVersions(): Promise<boolean> {
  const found = await statfs(unified).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  return found?.type === magic_v2;
}

/** A group below the lab's in every hierarchy. Returns the files that a process writes its pid to, to enter. */
export async function makeGroup(tree: CgroupTree, group: string): Promise<readonly string[]> {
  const entries: string[] = [];
  if (tree.version === 2) await delegate(tree.roster);
  for (const folder of tree.folders) {
    for (const made of [folder, join(folder, group)]) {
      await mkdir(made, { recursive: true });
      await inheritCpuset(made);
    }
    entries.push(join(folder, group, "cgroup.procs"));
  }
  return entries;
}

/**
 * Of each half second, on each processor: 22 % for a machine, and its lab has two. Two labs fit beside each other into the host's share.
 * Each question to Corosync costs it 20 ms here (libqb fills the buffers of each connection), a failover has a dozen of them in three seconds,
 * and what has used up its share waits for the next period, with everybody who asked: with 10 ms of each 100 a question took half a second,
 * and a failover three seconds more. So the share has room for a burst; and a wait to its end is still well below Corosync's token.
 */
const ofEachLab: RealTimeShare = { period_us: 500_000, machine_us: 110_000, lab_us: 220_000 };

interface RealTimeShare {
  readonly period_us: number;
  readonly machine_us: number;
  readonly lab_us: number;
}

/**
 * Lets a machine's processes have a real-time priority, as on metal: Corosync asks for one. In version 1 a kernel that counts such time by
 * groups refuses it to a new group. Where the host has none to give, Corosync does without, and logs that.
 *
 * A group keeps its share when its last process is gone. So a lab that was killed from outside, and that nobody has taken down yet, holds time
 * that nobody uses, and two of them hold all there is: what they have is taken back.
 */
export async function allowRealTime(
  tree: CgroupTree,
  group: string,
  { period_us, machine_us, lab_us }: RealTimeShare = ofEachLab,
): Promise<void> {
  for (const lab of tree.folders) {
    // The group above first: what is below it can't have more.
    const wanted = [
      [lab, lab_us],
      [join(lab, group), machine_us],
    ] as const;
    for (const [folder, runtime_us] of wanted) {
      if ((await readIfThere(join(folder, "cpu.rt_runtime_us"))) === undefined) break;
      if (await grantRealTime(folder, period_us, runtime_us)) continue;
      await takeBackUnused(lab);
      await grantRealTime(folder, period_us, runtime_us);
    }
  }
}

/** False by the kernel's EINVAL: the group above has no such time, or others have it all. */
async function grantRealTime(folder: string, period_us: number, runtime_us: number): Promise<boolean> {
  try {
    await writeFile(join(folder, "cpu.rt_period_us"), String(period_us));
    await writeFile(join(folder, "cpu.rt_runtime_us"), String(runtime_us));
    return true;
  } catch (error) {
    if (errnoOf(error) === "EINVAL") return false;
    throw error;
  }
}

/** A lab that lives has processes at any time: its BMCs run before its machines have power, and for as long as it is up. */
async function takeBackUnused(lab: string): Promise<void> {
  for (const other of await subfolders(dirname(lab))) {
    if (!labGroup.test(basename(other)) || (await hasProcesses(other))) continue;
    for (const folder of [...(await subfolders(other)), other])
      await writeFile(join(folder, "cpu.rt_runtime_us"), "0").catch((error: unknown) => {
        // Taken down meanwhile, or with a group below it that is not a machine's: then it keeps what it has.
        if (!isMissing(error) && !["EBUSY", "ENODEV", "EINVAL"].includes(errnoOf(error) ?? "")) throw error;
      });
  }
}

/** A command line that enters the groups before it becomes the command. */
export function entering(
  entries: readonly string[],
  argv: readonly [string, ...string[]],
): [string, ...string[]] {
  const enter = 'n=$1; shift; while [ "$n" -gt 0 ]; do echo $$ > "$1"; shift; n=$((n-1)); done; exec "$@"';
  return ["sh", "-c", enter, "sh", String(entries.length), ...entries, ...argv];
}

/** Version 2: a controller works below a group only where the group above hands it down. Those that the host has will do. */
async function delegate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const above of [join(folder, ".."), folder]) {
    const there = (await readIfThere(join(above, "cgroup.controllers"))) ?? "";
    for (const controller of there.split(/\s+/).filter(Boolean))
      await writeFile(join(above, "cgroup.subtree_control"), `+${controller}`).catch(() => {
        // In use elsewhere in a way that forbids it: what needs it says so when it is used.
      });
  }
}

/** A new cpuset is empty and takes no process until it has processors and memory. */
async function inheritCpuset(folder: string): Promise<void> {
  for (const what of ["cpuset.cpus", "cpuset.mems"]) {
    const own = await readIfThere(join(folder, what));
    if (own === undefined || own.trim() !== "") continue;
    await writeFile(join(folder, what), await readFile(join(folder, "..", what)));
    await writeFile(join(folder, "cgroup.clone_children"), "1").catch(() => {
      // Version 2 has no such file and needs none.
    });
  }
}

/** All process ids in a group and below it. */
export async function processesIn(folder: string): Promise<readonly number[]> {
  const own = await ownProcesses(folder);
  if (own === undefined) return [];
  const below = await subfolders(folder);
  return [...own, ...(await Promise.all(below.map(processesIn))).flat()];
}

/** The same question without the list: of a machine with containers that is a hundred groups, and the first one often tells. */
export async function hasProcesses(folder: string): Promise<boolean> {
  const own = await ownProcesses(folder);
  if (own === undefined) return false;
  if (own.length > 0) return true;
  for (const below of await subfolders(folder)) if (await hasProcesses(below)) return true;
  return false;
}

/** Undefined where there is no such group: one that is being removed has its files still, and they answer ENODEV. */
async function readOfGroup(folder: string, file: string): Promise<string | undefined> {
  try {
    return await readIfThere(join(folder, file));
  } catch (error) {
    if (errnoOf(error) === "ENODEV") return undefined;
    throw error;
  }
}

async function ownProcesses(folder: string): Promise<readonly number[] | undefined> {
  const own = await readOfGroup(folder, "cgroup.procs");
  return own?.split("\n").filter(Boolean).map(Number);
}

export async function freeze(tree: CgroupTree, group: string, frozen: boolean): Promise<void> {
  const folder = join(tree.roster, group);
  if (tree.version === 2) await writeFile(join(folder, "cgroup.freeze"), frozen ? "1" : "0");
  else await writeFile(join(folder, "freezer.state"), frozen ? "FROZEN" : "THAWED");
}

export async function isFrozen(tree: CgroupTree, group: string): Promise<boolean> {
  const file = tree.version === 2 ? "cgroup.freeze" : "freezer.state";
  const state = await readOfGroup(join(tree.roster, group), file);
  return state !== undefined && state.trim() !== "0" && state.trim() !== "THAWED";
}

/** Ends every process of a group, first those in `first`, frozen ones too, and waits until they are gone. */
export async function killGroup(
  tree: CgroupTree,
  group: string,
  first: readonly number[] = [],
): Promise<void> {
  const folder = join(tree.roster, group);
  const kill = (pid: number) => {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone already.
    }
  };
  first.forEach(kill);
  for (const pid of await processesIn(folder)) kill(pid);
  // A frozen process has the signal, and dies when it is let go: it does nothing in between.
  if (await isFrozen(tree, group)) await freeze(tree, group, false);
  await until(
    `the processes of ${group} ending`,
    async () => {
      const left = await processesIn(folder);
      left.forEach(kill);
      return left.length === 0;
    },
    { deadline_ms: 20_000, every_ms: 10 },
  );
}

/** Removes a group with all below it in every hierarchy; the processes are gone by then. */
export async function removeGroup(tree: CgroupTree, group = ""): Promise<void> {
  for (const folder of tree.folders) await removeFolder(join(folder, group));
}

async function removeFolder(folder: string): Promise<void> {
  for (const below of await subfolders(folder)) await removeFolder(below);
  await until(
    `removal of the cgroup ${basename(folder)}`,
    async () => {
      try {
        await rmdir(folder);
        return true;
      } catch (error) {
        if (isMissing(error)) return true;
        // Busy for a moment after its last process ended.
        if (error instanceof Error && "code" in error && error.code === "EBUSY") return false;
        throw error;
      }
    },
    { deadline_ms: 10_000, every_ms: 20 },
  );
}

async function subfolders(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((e) => e.isDirectory()).map((e) => join(folder, e.name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
