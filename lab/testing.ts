import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmdirSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as v from "valibot";
import { type ProbeReport, probeReport } from "../src/agents/check/probe.ts";
import { until } from "../src/machine/clock.ts";
import { run, type RunResult } from "../src/machine/process.ts";
import { checkoutFolder } from "./checkout.ts";
import { cgroupName } from "./folder.ts";

/** The names that the lab tests give to their labs. */
const testLabs = ["main", "other", "crash", "six", "own", "never", "unit", "setup", "uninstall"];

/** Labs of tests have a folder of their own, away from the user's. */
export function ownLabsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "duet-test-labs-"));
  process.env["DUET_LABS"] = folder;
  process.on("exit", () => {
    try {
      rmdirSync(folder);
    } catch {
      // Not empty: a test failed, and what it left may tell why.
    }
  });
  return folder;
}

/** A command that ended with another status than 0, and what it said. */
export class CommandFailed extends Error {}

/** `./duet` as a user types it. */
export async function duet(
  args: readonly string[],
  options: { readonly input?: string; readonly deadline_ms?: number } = {},
): Promise<RunResult> {
  return await run([join(checkoutFolder(), "duet"), ...args], {
    accept: "any",
    deadline_ms: 300_000,
    ...options,
  });
}

/** The same, where anything but success is the test's failure. */
export async function duetOk(...args: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await duet(args);
  if (status !== 0) throw new CommandFailed(`duet ${args.join(" ")}: status ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** `./duet` while the test goes on beside it: what it has said so far, and its status when it has ended. */
export function duetBegun(args: readonly string[]): {
  readonly said: () => string;
  readonly hasEnded: () => boolean;
  readonly ended: Promise<number | null>;
} {
  const child = spawn(join(checkoutFolder(), "duet"), args, {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 300_000,
    killSignal: "SIGKILL",
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // What it had started on a machine may hold the pipe of one that was killed.
  child.once("exit", (_, signal) => signal !== null && child.stderr.destroy());
  // Not at its exit: then some of what it said may still be on its way.
  return { said: () => said, hasEnded, ended: once(child, "close").then(() => child.exitCode) };
}

/**
 * `until`, for looks by commands that are refused while a machine or a service comes or goes: one that failed has not seen it yet. If
 * it is never seen, what the last one was refused with is told, so that a look that can never succeed is not taken for a slow machine.
 */
export async function untilSeen<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  options: { readonly deadline_ms: number; readonly every_ms?: number },
): Promise<T> {
  let refusal = "";
  const ask = async (): Promise<T | undefined | false> => {
    try {
      const seen = await look();
      refusal = "";
      return seen;
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      refusal = error.message;
      return undefined;
    }
  };
  try {
    return await until(what, ask, options);
  } catch (error) {
    if (refusal === "") throw error;
    throw new Error(`${what}: not within ${options.deadline_ms} ms, and the last look failed: ${refusal}`, {
      cause: error,
    });
  }
}

/** A command on a machine of a lab, or at its seat; its output, and an error unless it succeeds. */
export async function on(lab: string, machine: string, ...command: readonly string[]): Promise<string> {
  return await duetOk("lab", "run", machine, "--name", lab, "--", ...command);
}

/** `duet status --json` at a place of the lab. It says what is wrong by its status; only one that says nothing has failed. */
export async function statusJson(lab: string, place: string): Promise<string> {
  const { status, stdout, stderr } = await duet(
    ["lab", "run", place, "--name", lab, "--"].concat("duet", "status", "--no-power", "--json"),
  );
  if (stdout === "") throw new CommandFailed(`duet status on ${place}: status ${status}\n${stderr}`);
  return stdout;
}

/** How often node1 has proven node2 off. Its power is a bad witness: it is on again when node1 serves, a second or two later. */
export const fencesOfNode2 = async (lab: string): Promise<number> =>
  Number(
    await on(
      lab,
      "node1",
      "sh",
      "-c",
      "journalctl -u pacemaker -o cat | grep -c \"'off' targeting node2 by node1.*OK\" || true",
    ),
  );

/**
 * `duet check` at the operator's seat: what it prints, and the lines of what it finds wrong. Not those of the disks: all machines of all labs
 * share the box's one, which may be as busy as it likes.
 */
export async function checkAtSeat(
  lab: string,
): Promise<{ readonly table: string; readonly wrong: readonly string[] }> {
  const { status, stdout, stderr } = await duet(["lab", "run", "seat", "--name", lab, "--", "duet", "check"]);
  const failed = stdout.split("\n").filter((line) => line.trimStart().startsWith("✗"));
  if (status > 1 || (status === 1) !== failed.length > 0)
    throw new Error(`duet check: status ${status}\n${stdout}${stderr}`);
  return { table: stdout, wrong: failed.filter((line) => !line.includes("disk sync")) };
}

/** What `duet check` is told by a machine. */
export async function probed(lab: string, machine: string): Promise<ProbeReport> {
  return v.parse(
    v.pipe(v.string(), v.parseJson(), probeReport),
    await on(lab, machine, "duet", "probe", "--json"),
  );
}

/** Asks a machine's BMC from the operator's seat, with the product's own client. */
export async function redfish(lab: string, ...words: readonly string[]): Promise<string> {
  return await on(
    lab,
    "seat",
    process.execPath,
    join(checkoutFolder(), "lab", "testing-redfish.ts"),
    ...words,
  );
}

/**
 * Everything of labs that shows on the host: mounts, processes, cgroups, loop devices, interfaces, named namespaces and
 * what systemd-nspawn leaves. Taken before and after, it must be the same.
 */
export async function traces(): Promise<readonly string[]> {
  const labs = process.env["DUET_LABS"] ?? "";
  // Labs of other people may come and go on the same box: only this test's own are looked for.
  const groups = testLabs.map((name) => cgroupName(join(labs, name)));
  const mounts = (await readFile("/proc/self/mountinfo", "utf8")).split("\n").filter((l) => l.includes(labs));
  const cgroups = (
    await run(["find", "/sys/fs/cgroup", "-type", "d", "-name", "duet-lab-*"], { accept: "any" })
  ).stdout.split("\n");
  const loops = (await run(["losetup", "--list", "--noheadings", "--output", "BACK-FILE"])).stdout.split(
    "\n",
  );
  const links = (await run(["ip", "-o", "link"])).stdout.split("\n").map((l) => l.split(":")[1] ?? "");
  return [
    ...mounts.map((m) => `mount ${m.split(" ")[4] ?? ""}`),
    ...(await labProcesses(labs, groups)).map((p) => `process ${p}`),
    ...cgroups.filter((c) => groups.includes(basename(c))).map((c) => `cgroup ${c}`),
    ...loops.filter((l) => l.includes(labs)).map((l) => `loop ${l}`),
    ...links.map((l) => `link ${l}`),
    ...(await names("/run/netns")),
    ...(await names("/run/systemd/nspawn")),
    ...(await names(labs)),
  ].toSorted();
}

async function names(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).map((n) => join(folder, n));
}

async function labProcesses(labs: string, own: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((n) => /^\d+$/.test(n))) {
    const groups = await readFile(`/proc/${pid}/cgroup`, "utf8").catch(() => "");
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    // Ended, and its parent has not looked yet: version 2 still tells where it was.
    if (command === "") continue;
    if (own.some((name) => groups.includes(name)) || command.includes(labs))
      found.push(`${pid} ${command.replaceAll("\0", " ").slice(0, 120)}`);
  }
  return found;
}
