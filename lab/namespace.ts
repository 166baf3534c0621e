import { rm, writeFile } from "node:fs/promises";
import { run, type RunOptions, type RunResult } from "../src/machine/process.ts";
import { mountsBelow } from "./mounts.ts";

/** A network namespace is a file in the lab's folder: nothing of it shows under /run/netns or anywhere else. */
export async function makeNamespace(file: string): Promise<void> {
  await dropNamespace(file);
  await writeFile(file, "");
  await run(["unshare", `--net=${file}`, "true"]);
  await inNamespace(file, ["ip", "link", "set", "lo", "up"]);
}

export async function dropNamespace(file: string): Promise<void> {
  for (const mounted of await mountsBelow(file)) await run(["umount", mounted]);
  await rm(file, { force: true });
}

export async function inNamespace(
  file: string,
  argv: readonly [string, ...string[]],
  options?: RunOptions,
): Promise<RunResult> {
  return await run(["nsenter", `--net=${file}`, ...argv], options);
}

/** Many `ip` commands in one process. */
export async function ipBatch(file: string, lines: readonly string[], options?: RunOptions): Promise<void> {
  await inNamespace(file, ["ip", "-batch", "-"], { ...options, input: `${lines.join("\n")}\n` });
}
