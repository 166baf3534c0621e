import { spawn } from "node:child_process";
import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../src/machine/clock.ts";
import { exists } from "../src/machine/files.ts";
import { entering, killGroup, makeGroup, processesIn, removeGroup } from "./cgroup.ts";
import { cgroupsOf, type Lab, type LabMachine } from "./folder.ts";
import { bmcNamespace, pduNamespace } from "./network.ts";

/** BMCs and the PDU: processes of their own, in their own namespaces, alive while the machines are not. */

const program = join(import.meta.dirname, "device-main.ts");
export const bmcFolder = (m: LabMachine): string => join(m.folder, "bmc");
export const pduFolder = (lab: Lab): string => join(lab.folder, "pdu");
const bmcGroup = (m: LabMachine): string => `bmc-${m.number}`;

export async function startBmc(lab: Lab, m: LabMachine, options: { feedReturned: boolean }): Promise<void> {
  const args = ["bmc", lab.name, m.machine.name, ...(options.feedReturned ? ["feed-returned"] : [])];
  await startDevice(lab, bmcGroup(m), bmcNamespace(lab, m), bmcFolder(m), args);
}

export async function startPdu(lab: Lab): Promise<void> {
  await startDevice(lab, "pdu", pduNamespace(lab), pduFolder(lab), ["pdu", lab.name]);
}

export async function bmcIsUp(lab: Lab, m: LabMachine): Promise<boolean> {
  return (await processesIn(join(cgroupsOf(lab).roster, bmcGroup(m)))).length > 0;
}

/** The BMC dies with its feed, whatever it was doing. */
export async function killBmc(lab: Lab, m: LabMachine): Promise<void> {
  await killGroup(cgroupsOf(lab), bmcGroup(m));
  await removeGroup(cgroupsOf(lab), bmcGroup(m));
}

async function startDevice(
  lab: Lab,
  group: string,
  namespace: string,
  folder: string,
  args: readonly string[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const ready = join(folder, "ready");
  await rm(ready, { force: true });
  const entries = await makeGroup(cgroupsOf(lab), group);
  const log = await open(join(folder, "device.log"), "a");
  try {
    // In its cgroups from its first moment on, so that whoever cleans up finds it.
    const [sh, ...rest] = entering(entries, [
      "nsenter",
      `--net=${namespace}`,
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      program,
      ...args,
    ]);
    const child = spawn(sh, rest, { detached: true, stdio: ["ignore", log.fd, log.fd] });
    child.unref();
  } finally {
    await log.close();
  }
  await until(`${args.slice(0, 3).join(" ")} answering`, () => exists(ready), {
    deadline_ms: 20_000,
    every_ms: 20,
  });
}

/** Said by the device itself when it listens. */
export async function sayReady(folder: string): Promise<void> {
  await writeFile(join(folder, "ready"), "");
}
