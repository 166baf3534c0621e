import { spawn } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../../src/base/problem.ts";
import { until } from "../../src/machine/clock.ts";
import { readIfThere } from "../../src/machine/files.ts";
import type { Metal } from "../bmc/metal.ts";
import { isBroken } from "../broken.ts";
import {
  allowRealTime,
  freeze,
  hasProcesses,
  isFrozen,
  killGroup,
  makeGroup,
  processesIn,
  removeGroup,
} from "../cgroup.ts";
import { cgroupsOf, type Lab, labHint, type LabMachine, machineOf } from "../folder.ts";
import { locked } from "../lock.ts";
import { dropNamespace, makeNamespace } from "../namespace.ts";
import { cutDisk, layersOf, releaseBrake, waitDiskFree } from "./disk.ts";
import { plugIn, pullPlugs } from "./plugs.ts";

const bootScript = join(import.meta.dirname, "boot.sh");

/** What power does to a lab's machine. The processes in its cgroup are the truth; there is no state to go stale. */
export function metalOf(lab: Lab, name: string): Metal & { hang: () => Promise<void> } {
  const m = machineOf(lab, name);
  return {
    isOn: () => isOn(lab, m),
    // A BMC, a PDU and a person can all do this at once: one after the other, or a disk would be mounted twice.
    on: () => locked(join(m.folder, "power.lock"), () => powerOn(lab, m)),
    cut: () => locked(join(m.folder, "power.lock"), () => powerCut(lab, m)),
    press: () => pressButton(lab, m),
    hang: async () => {
      await requireOn(lab, m);
      for (const group of [m.group, m.visitors]) {
        await makeGroup(cgroupsOf(lab), group);
        await freeze(cgroupsOf(lab), group, true);
      }
    },
  };
}

const rosterOf = (lab: Lab, m: LabMachine): string => join(cgroupsOf(lab).roster, m.group);

export async function isOn(lab: Lab, m: LabMachine): Promise<boolean> {
  return await hasProcesses(rosterOf(lab, m));
}

export async function isHung(lab: Lab, m: LabMachine): Promise<boolean> {
  return await isFrozen(cgroupsOf(lab), m.group);
}

async function powerOn(lab: Lab, m: LabMachine): Promise<void> {
  if ((await isOn(lab, m)) || (await isBroken(m))) return;
  await clearAway(lab, m);
  const entries = await makeGroup(cgroupsOf(lab), m.group);
  await allowRealTime(cgroupsOf(lab), m.group);
  await makeNamespace(join(m.folder, "net"));
  await plugIn(lab, m);
  const log = await open(join(m.folder, "console.log"), "a");
  try {
    const { record } = lab;
    const child = spawn(
      "sh",
      [
        bootScript,
        m.folder,
        record.image,
        layersOf(lab),
        String(record.cgroups.version),
        m.machine.name,
        record.kubernetes?.store ?? "",
        ...entries,
      ],
      { detached: true, stdio: ["ignore", log.fd, log.fd] },
    );
    child.unref();
  } finally {
    await log.close();
  }
  // On means that its first process runs: from here `run` and `cut` find it.
  await until(`${m.machine.name} starting its init`, () => leaderPid(lab, m), {
    deadline_ms: 20_000,
    every_ms: 20,
  });
}

/** What an earlier life of this machine left: nothing runs, its disk is free, its cgroups and network are gone. */
async function clearAway(lab: Lab, m: LabMachine): Promise<void> {
  await pullPlugs(lab, m);
  await releaseBrake(m.folder, cgroupsOf(lab));
  for (const group of [m.group, m.visitors]) await killGroup(cgroupsOf(lab), group);
  await waitDiskFree(m);
  await dropNamespace(join(m.folder, "net"));
  for (const group of [m.group, m.visitors]) await removeGroup(cgroupsOf(lab), group);
}

/**
 * Everything is dead at once: first the wires, so that no dying process says goodbye; then the disk, so that nothing
 * unsynced reaches it; then every process, the first one first, since all others end with it.
 */
async function powerCut(lab: Lab, m: LabMachine): Promise<void> {
  await pullPlugs(lab, m);
  const keeper = await keeperPid(lab, m);
  if (keeper !== undefined) {
    await releaseBrake(m.folder, cgroupsOf(lab));
    await cutDisk(m, keeper);
  }
  const leader = await leaderPid(lab, m);
  await killGroup(cgroupsOf(lab), m.group, leader === undefined ? [] : [leader]);
  await clearAway(lab, m);
}

/** The power button: systemd takes SIGRTMIN+4 as "power off in good order". A frozen machine does not hear it. */
async function pressButton(lab: Lab, m: LabMachine): Promise<void> {
  const leader = await leaderPid(lab, m);
  if (leader === undefined) return;
  const sigrtmin = 34;
  process.kill(leader, sigrtmin + 4);
}

async function requireOn(lab: Lab, m: LabMachine): Promise<void> {
  if (!(await isOn(lab, m)))
    fail(
      "DUET-E-LAB-POWER",
      m.machine.name,
      "it has no power",
      labHint(lab.name, `power on ${m.machine.name}`),
    );
}

/** The machine's own init: process 1 of its own process namespace. */
export async function leaderPid(lab: Lab, m: LabMachine): Promise<number | undefined> {
  for (const pid of await processesIn(rosterOf(lab, m))) {
    const ids = await namespacePids(pid);
    // systemd-nspawn's own child has that number too, before it becomes the init.
    if (
      ids.length === 2 &&
      ids[1] === "1" &&
      (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")) === "systemd\n"
    )
      return pid;
  }
  return undefined;
}

/** A process of the machine's that sees the host's side of its mounts: one outside its process namespace. */
export async function keeperPid(lab: Lab, m: LabMachine): Promise<number | undefined> {
  for (const pid of await processesIn(rosterOf(lab, m)))
    if ((await namespacePids(pid)).length === 1) return pid;
  return undefined;
}

/** The ids that a process has in the nested process namespaces that it is in, outermost first. */
async function namespacePids(pid: number): Promise<readonly string[]> {
  const status = await readIfThere(`/proc/${pid}/status`).catch(() => undefined);
  return /^NSpid:\s+(.*)$/m.exec(status ?? "")?.[1]?.split(/\s+/) ?? [];
}

/** The keeper of a machine that has power, or an error that says what to do. */
export async function requireKeeper(lab: Lab, m: LabMachine): Promise<number> {
  await requireOn(lab, m);
  return (
    (await keeperPid(lab, m)) ??
    fail("DUET-E-LAB-POWER", m.machine.name, "it is just being powered on or off", "try again")
  );
}
