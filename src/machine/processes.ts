import { readdir } from "node:fs/promises";
import { readIfThere } from "./files.ts";

/** A process, as the kernel tells of it. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Of its program: the first 15 characters at most. */
  readonly name: string;
  /** `/proc/PID/cgroup`: `0::/system.slice/NAME`, or one such line per controller. */
  readonly cgroup: string;
}

/** Those of which `/proc/PID/cgroup` is as wanted. One that ends meanwhile is not among them. */
export async function processesIn(isWanted: (cgroup: string) => boolean): Promise<readonly Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cgroup = await read(`/proc/${pid}/cgroup`);
      if (cgroup === undefined || !isWanted(cgroup)) return [];
      const stat = parseStat((await read(`/proc/${pid}/stat`)) ?? "");
      return stat === undefined ? [] : [{ ...stat, cgroup }];
    }),
  );
  return found.flat();
}

/** One that ended is ESRCH, too. */
const read = (path: string): Promise<string | undefined> => readIfThere(path).catch(() => undefined);

/** `1234 (name) S 1 …`; a name may have anything in it, brackets as well. */
export function parseStat(text: string): Omit<Process, "cgroup"> | undefined {
  const [, pid, name = "", parent] = /^(\d+) \((.*)\) \S (\d+) /s.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), parent: Number(parent), name };
}
