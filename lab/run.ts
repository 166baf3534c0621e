import { spawn } from "node:child_process";
import { DuetError, fail } from "../src/base/problem.ts";
import { run, type RunOptions, type RunResult } from "../src/machine/process.ts";
import { entering, makeGroup } from "./cgroup.ts";
import { cgroupsOf, type Lab, labHint, machineOf } from "./folder.ts";
import { isHung, leaderPid } from "./metal/power.ts";
import { inSeat } from "./seat.ts";

export const seatName = "seat";

/**
 * The command line that runs a command in a machine, as a person at its console would, or in the operator's seat. It is in
 * a cgroup of the lab's from its first moment: it hangs and dies with the machine, and goes with the lab.
 */
export async function commandIn(
  lab: Lab,
  name: string,
  argv: readonly string[],
): Promise<[string, ...string[]]> {
  if (name === seatName) return entering(await makeGroup(cgroupsOf(lab), "seat"), inSeat(lab, argv));
  const m = machineOf(lab, name);
  const leader = await leaderPid(lab, m);
  if (leader === undefined)
    return fail("DUET-E-LAB-POWER", name, "it has no power", labHint(lab.name, `power on ${name}`));
  if (await isHung(lab, m))
    return fail(
      "DUET-E-LAB-POWER",
      name,
      "it hangs: nothing runs on it",
      `${labHint(lab.name, `power cut ${name}`)}, then power on`,
    );
  return entering(await makeGroup(cgroupsOf(lab), m.visitors), [
    "nsenter",
    "--target",
    String(leader),
    "--all",
    "env",
    "--chdir=/root",
    "HOME=/root",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin",
    ...argv,
  ]);
}

export async function runIn(
  lab: Lab,
  name: string,
  argv: readonly string[],
  options?: RunOptions,
): Promise<RunResult> {
  return await run(await commandIn(lab, name, argv), options);
}

/** A look at a machine that may have no power, or be half-way up: what it refuses then is simply not seen. */
export async function passing(look: () => Promise<boolean>): Promise<boolean> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof DuetError) return false;
    throw error;
  }
}

/** With this program's own terminal, for people; the status is the command's. */
export async function attachIn(lab: Lab, name: string, argv: readonly string[]): Promise<number> {
  const [program, ...args] = await commandIn(lab, name, argv);
  const child = spawn(program, args, { stdio: "inherit" });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("exit", (status, signal) => {
    resolve(status ?? (signal === "SIGKILL" ? 137 : 143));
  });
  return await promise;
}
