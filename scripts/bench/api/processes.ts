import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { processesIn } from "../../../lab/cgroup.ts";
import { allMachines, cgroupsOf, type Lab, type LabMachine } from "../../../lab/folder.ts";
import { fail } from "../../../src/base/problem.ts";
import { readIfThere } from "../../../src/machine/files.ts";

/** Linux counts a process's time in hundredths of a second for everybody who reads it. */
const tick_ms = 10;

/** Processor time of a machine since it has power, of what has ended too: the kernel counts it for its cgroup. */
export async function machineTime_ms(lab: Lab, { group }: LabMachine): Promise<number> {
  const { folders } = cgroupsOf(lab);
  for (const folder of folders) {
    // By version 1 in nanoseconds, by version 2 in microseconds.
    const old = await readIfThere(join(folder, group, "cpuacct.usage"));
    if (old !== undefined) return Number(old) / 1e6;
    const usage = /^usage_usec (\d+)$/m.exec((await readIfThere(join(folder, group, "cpu.stat"))) ?? "")?.[1];
    // Where both versions are there, the second counts as well.
    if (usage !== undefined && folders.length === 1) return Number(usage) / 1e3;
  }
  return fail("DUET-E-HOST-UNFIT", group, "no cgroup of it counts processor time", "use a kernel that does");
}

export async function allTime_ms(lab: Lab): Promise<number> {
  let sum_ms = 0;
  for (const m of allMachines(lab)) sum_ms += await machineTime_ms(lab, m);
  return sum_ms;
}

/** A process, and what it has used of processors since it began. */
export interface Process {
  readonly pid: number;
  /** The first 15 characters of its program's name: the kernel keeps no more. */
  readonly name: string;
  readonly used_ms: number;
}

/** Those that a machine has now. */
export async function processesOf(lab: Lab, { group }: LabMachine): Promise<readonly Process[]> {
  const found: Process[] = [];
  for (const pid of await processesIn(join(cgroupsOf(lab).roster, group))) {
    const read = readStat(await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""));
    if (read !== undefined) found.push({ pid, ...read });
  }
  return found;
}

/** A name may have blanks and brackets in it: it ends at the last one. Of the fields behind it the 12th and 13th are the times. */
export function readStat(stat: string): Pick<Process, "name" | "used_ms"> | undefined {
  const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  const fields = rest.split(" ").map(Number);
  return name === "" ? undefined : { name, used_ms: ((fields[11] ?? 0) + (fields[12] ?? 0)) * tick_ms };
}

/** Of those that are there now. One that began meanwhile has all of its time in between; one that ended is not in it. */
export function usedSince_ms(before: readonly Process[], now: readonly Process[]): number {
  const key = ({ pid, name }: Process) => `${pid} ${name}`;
  const then = new Map(before.map((each) => [key(each), each.used_ms]));
  return now.reduce((sum, each) => sum + each.used_ms - (then.get(key(each)) ?? 0), 0);
}
