import { join } from "node:path";
import { type Fault, readFaults } from "./bmc/fault.ts";
import { isBroken } from "./broken.ts";
import { bmcFolder, bmcIsUp, pduFolder } from "./devices.ts";
import { feedIsOn } from "./feed.ts";
import { allMachines, type Lab, type LabMachine } from "./folder.ts";
import { run } from "../src/machine/process.ts";
import { isSlow } from "./metal/disk.ts";
import { isHung, isOn, keeperPid } from "./metal/power.ts";
import { type Cut, readCuts } from "./wires.ts";

export interface LabStatus {
  readonly name: string;
  readonly folder: string;
  readonly machines: readonly MachineStatus[];
  readonly cuts: readonly Cut[];
  /** Where the site has one. */
  readonly pdu?: { readonly url: string; readonly faults: readonly string[] };
}

export interface MachineStatus {
  readonly name: string;
  readonly power: "on" | "off" | "hung" | "broken";
  readonly feed: "on" | "off";
  readonly addresses: readonly string[];
  readonly bmc: { readonly url: string; readonly up: boolean; readonly faults: readonly string[] };
  readonly disk?: { readonly used_mb: number; readonly size_mb: number; readonly slow: boolean };
}

/** What a person who walks through the lab would see. */
export async function labStatus(lab: Lab): Promise<LabStatus> {
  const [pdu] = lab.site.machines.flatMap((m) => m.pdus);
  return {
    name: lab.name,
    folder: lab.folder,
    machines: await Promise.all(allMachines(lab).map((m) => machineStatus(lab, m))),
    cuts: await readCuts(lab),
    ...(pdu === undefined
      ? {}
      : { pdu: { url: pdu.url, faults: readFaults(pduFolder(lab)).map(faultText) } }),
  };
}

async function machineStatus(lab: Lab, m: LabMachine): Promise<MachineStatus> {
  const on = await isOn(lab, m);
  const disk = await diskUse(lab, m);
  return {
    name: m.machine.name,
    power: !on ? ((await isBroken(m)) ? "broken" : "off") : (await isHung(lab, m)) ? "hung" : "on",
    feed: (await feedIsOn(m)) ? "on" : "off",
    addresses: m.machine.addresses,
    bmc: {
      url: m.machine.bmc.url,
      up: await bmcIsUp(lab, m),
      faults: readFaults(bmcFolder(m)).map(faultText),
    },
    ...(disk === undefined ? {} : { disk }),
  };
}

const faultText = (f: Fault): string => (f.kind === "slow" ? `slow ${f.seconds}` : f.kind);

async function diskUse(lab: Lab, m: LabMachine): Promise<MachineStatus["disk"]> {
  const keeper = await keeperPid(lab, m);
  if (keeper === undefined) return undefined;
  const { status, stdout } = await run(
    [
      "nsenter",
      "--target",
      String(keeper),
      "--mount",
      "df",
      "--block-size=1M",
      "--output=used,size",
      join(m.folder, "disk"),
    ],
    { accept: "any", deadline_ms: 5_000 },
  );
  const [used_mb, size_mb] = (stdout.split("\n")[1] ?? "").trim().split(/\s+/).map(Number);
  return status === 0 && used_mb !== undefined && size_mb !== undefined
    ? { used_mb, size_mb, slow: await isSlow(m) }
    : undefined;
}
