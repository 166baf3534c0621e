import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { fail } from "../src/base/problem.ts";

/**
 * Runs `work` while no other program does the same to this lab. The lock is the kernel's, held by a child that ends when
 * this process does, however it ends: there is no stale lock.
 */
export async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  const holder = spawn(
    "flock",
    ["--exclusive", "--timeout", "120", file, "sh", "-c", "echo held; exec cat"],
    {
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const ended = once(holder, "exit");
  const first = await Promise.race([once(holder.stdout, "data"), ended.then(() => undefined)]);
  if (first === undefined)
    fail(
      "DUET-E-LAB-BUSY",
      file,
      "another duet has been changing this lab for over two minutes",
      "wait for it, or see what it does",
    );
  try {
    return await work();
  } finally {
    holder.stdin.end();
    await ended;
  }
}
