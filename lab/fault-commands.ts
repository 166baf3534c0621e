import { isDeepStrictEqual } from "node:util";
import { exit, fail } from "../src/base/problem.ts";
import { clearFaults, parseFault, writeFault } from "./bmc/fault.ts";
import { bmcFolder } from "./devices.ts";
import { machineOf, openLab } from "./folder.ts";
import { fillDisk, freeDisk, ownGroups, releaseBrake, slowDisk } from "./metal/disk.ts";
import { requireKeeper } from "./metal/power.ts";
import { parseCut } from "./wire-names.ts";
import { applyCuts, readCuts, setCuts } from "./wires.ts";

export async function cutWire(labName: string, wire: string, from: string | undefined): Promise<void> {
  const lab = await openLab(labName);
  const cut = parseCut(lab, wire, from);
  const cuts = await readCuts(lab);
  if (!cuts.some((c) => isDeepStrictEqual(c, cut))) await setCuts(lab, [...cuts, cut]);
}

/** Heals this very cut; a wire healed without a direction is whole in both. */
export async function healWire(labName: string, wire: string, from: string | undefined): Promise<void> {
  const lab = await openLab(labName);
  if (wire === "all") return await setCuts(lab, []);
  const cut = parseCut(lab, wire, from);
  const whole = (c: typeof cut) => (c.kind === "plug" ? c.port : c.wire);
  const cuts = await readCuts(lab);
  await setCuts(
    lab,
    cuts.filter((c) => (from === undefined ? whole(c) !== whole(cut) : !isDeepStrictEqual(c, cut))),
  );
}

export async function setFault(
  labName: string,
  machine: string,
  kind: string,
  argument: string | undefined,
): Promise<void> {
  const lab = await openLab(labName);
  const folder = bmcFolder(machineOf(lab, machine));
  if (kind === "none") await clearFaults(folder);
  else await writeFault(folder, parseFault(kind, argument));
  // Being unreachable is done on the wire.
  await applyCuts(lab);
}

export async function disturbDisk(
  labName: string,
  machine: string,
  what: "fill" | "free" | "slow" | "fast",
  ms: string,
): Promise<void> {
  const lab = await openLab(labName);
  const m = machineOf(lab, machine);
  const delay_ms = Number(ms);
  if (!(delay_ms >= 1 && delay_ms <= 1000))
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
    case "slow":
      return await slowDisk(lab, m, delay_ms);
    case "fast":
      return await releaseBrake(m.folder, ownGroups(lab, m));
  }
}
