import { isDeepStrictEqual } from "node:util";
import { exit, fail } from "../src/base/problem.ts";
import { clearFaults, parseFault, writeFault } from "./bmc/fault.ts";
import { bmcFolder, pduFolder } from "./devices.ts";
import { cgroupsOf, machineOf, openLab } from "./folder.ts";
import { lockedLab } from "./lock.ts";
import { breakDisk, fillDisk, freeDisk, releaseBrake, slowDisk } from "./metal/disk.ts";
import { requireKeeper } from "./metal/power.ts";
import { parseCut } from "./wire-names.ts";
import { applyCuts, type Cut, readCuts, setCuts } from "./wires.ts";

export async function cutWire(labName: string, wire: string, from: string | undefined): Promise<void> {
  const lab = await openLab(labName);
  const cut = parseCut(lab, wire, from);
  await lockedLab(labName, async () => {
    const cuts = await readCuts(lab);
    if (!cuts.some((c) => isDeepStrictEqual(c, cut))) await setCuts(lab, [...cuts, cut]);
  });
}

/** Heals this very cut; a wire healed without a direction is whole in both. */
export async function healWire(labName: string, wire: string, from: string | undefined): Promise<void> {
  const lab = await openLab(labName);
  const cut = wire === "all" ? undefined : parseCut(lab, wire, from);
  const whole = (c: Cut) => (c.kind === "plug" ? c.port : c.wire);
  await lockedLab(labName, async () => {
    const cuts = cut === undefined ? [] : await readCuts(lab);
    await setCuts(
      lab,
      cuts.filter((c) => {
        if (cut === undefined) return false;
        return from === undefined ? whole(c) !== whole(cut) : !isDeepStrictEqual(c, cut);
      }),
    );
  });
}

/** Faults of a machine's BMC, or of `pdu`. */
export async function setFault(
  labName: string,
  device: string,
  kind: string,
  argument: string | undefined,
): Promise<void> {
  const lab = await openLab(labName);
  const isPdu = device === "pdu" && lab.addresses.pdu !== undefined;
  const folder = isPdu ? pduFolder(lab) : bmcFolder(machineOf(lab, device));
  const fault = kind === "none" ? undefined : parseFault(kind, argument);
  await lockedLab(labName, async () => {
    if (fault === undefined) await clearFaults(folder);
    else await writeFault(folder, fault);
    // Being unreachable is done on the wire.
    await applyCuts(lab);
  });
}

export type DiskDeed = "fill" | "free" | "slow" | "fast" | "read-only";

export async function disturbDisk(
  labName: string,
  machine: string,
  what: DiskDeed,
  ms: string,
): Promise<void> {
  const lab = await openLab(labName);
  const m = machineOf(lab, machine);
  const delay_ms = Number(ms);
  if (what === "slow" && !(delay_ms >= 1 && delay_ms <= 1000))
    fail(
      "DUET-E-LAB-DISK",
      ms.slice(0, 20),
      "a slow disk takes 1 to 1000 ms for each write",
      "duet lab disk slow NAME 100",
      exit.badInput,
    );
  const keeper = await requireKeeper(lab, m);
  switch (what) {
    case "fill":
      return await fillDisk(m, keeper);
    case "free":
      return await freeDisk(m, keeper);
    case "read-only":
      return await breakDisk(m);
    case "slow":
      return await slowDisk(lab, m, delay_ms);
    case "fast":
      return await releaseBrake(m.folder, cgroupsOf(lab));
  }
}
