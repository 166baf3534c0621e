import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fail } from "../src/base/problem.ts";
import { exists } from "../src/machine/files.ts";
import { labFolder } from "./folder.ts";

/**
 * Runs `work` while nobody else works under the same lock. The lock is the kernel's, held by a child that ends when this
 * process does, however it ends: there is no stale lock.
 */
export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const held = await hold(file);
  try {
    return await work();
  } finally {
    await held.release();
  }
}

/** The same for everything that makes, changes or removes the lab of that name. The lock's file goes with the lab. */
export async function lockedLab<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = labFolder(name);
  const file = `${folder}.lock`;
  await mkdir(dirname(file), { recursive: true });
  return await locked(file, async () => {
    try {
      return await work(folder);
    } finally {
      if (!(await exists(folder))) await rm(file, { force: true });
    }
  });
}

const releases = new Set<() => void>();

/** Gives up every lock that is held here, for a program that is about to end: so that another one may clear up before it has. */
export function dropLocks(): void {
  for (const release of releases) release();
}

const tries_max = 50;
/** flock passes the locked file on as descriptor 3. A file removed by the last holder locks nothing: look again. */
const script = '[ "$0" -ef /proc/self/fd/3 ] || exit 9; echo held; exec cat';

async function hold(file: string): Promise<{ release: () => Promise<void> }> {
  for (let tries = 0; tries < tries_max; tries += 1) {
    const holder = spawn("flock", ["--exclusive", "--timeout", "120", file, "sh", "-c", script, file], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const ended = once(holder, "exit").then(([status]: unknown[]) => status);
    const status = await Promise.race([once(holder.stdout, "data").then(() => "held"), ended]);
    if (status === "held") {
      const drop = () => holder.stdin.destroy();
      releases.add(drop);
      return {
        release: async () => {
          releases.delete(drop);
          holder.stdin.end();
          await ended;
        },
      };
    }
    if (status !== 9) break;
  }
  return fail(
    "DUET-E-LAB-BUSY",
    file,
    "another duet has been changing this lab for over two minutes",
    "wait for it, or see what it does",
  );
}
