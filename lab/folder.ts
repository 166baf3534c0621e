import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { exit, fail } from "../src/base/problem.ts";
import { isMissing, readIfThere, replaceSynced } from "../src/machine/files.ts";
import { loadSite } from "../src/machine/site-file.ts";
import type { Machine, Site } from "../src/site/site.ts";
import { type Addresses, planAddresses } from "./addresses.ts";
import type { CgroupTree } from "./cgroup.ts";
import { defaultLab } from "./name.ts";

/** Everything about a running lab, read from its folder: no program has to stay alive for a lab to be known. */
export interface Lab {
  readonly name: string;
  readonly folder: string;
  readonly record: LabRecord;
  readonly site: Site;
  readonly addresses: Addresses;
}

const times = v.object({ off_ms: v.number(), on_ms: v.number() });
const recordSchema = v.object({
  version: v.literal(1),
  /** Root folder of the OS image that the machines run from. */
  image: v.string(),
  /** The duet executable that the image's machines carry. */
  executable: v.string(),
  /** Of a lab with Kubernetes only. */
  kubernetes: v.optional(
    v.object({
      /** The folder of the layer between duet's and the OS image. */
      layer: v.string(),
      /** The folder of the container images, which the machines only read. */
      store: v.string(),
      /** The folder of what an operator's computer has: kubectl. */
      tools: v.string(),
    }),
  ),
  cgroups: v.object({
    version: v.union([v.literal(1), v.literal(2)]),
    folders: v.array(v.string()),
    roster: v.string(),
  }),
  bmc_times: times,
  /** Of those that are not like the others, by their machines' names. */
  bmc_times_of: v.optional(v.record(v.string(), times)),
  disk_mb: v.number(),
  started_at: v.string(),
  /** Of the host: after a reboot nothing of the lab runs any more. */
  boot_id: v.string(),
  /** False while `lab up` is at it: a lab that was cut off there is cleaned away by the next one. */
  whole: v.boolean(),
});
export type LabRecord = v.InferOutput<typeof recordSchema>;

/** How long the BMC of this machine takes. */
export const bmcTimesOf = ({ bmc_times, bmc_times_of }: LabRecord, machine: string): LabRecord["bmc_times"] =>
  bmc_times_of?.[machine] ?? bmc_times;

/** A command for this lab as a person would type it. */
export function labHint(name: string, command: string): string {
  return `duet lab ${command}${name === defaultLab ? "" : ` --name ${name}`}`;
}

/** Nobody else's business: a lab holds the passwords of its BMCs, and of the user's, in its disks too. */
export const lab_mode = 0o700;

export async function hostBootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}

export function labFolder(name: string): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(name))
    fail(
      "DUET-E-LAB-NAME",
      name.slice(0, 64),
      "a lab's name has 1 to 32 lower-case letters, digits and dashes",
      "choose another --name",
      exit.badInput,
    );
  return join(labsFolder(), name);
}

/** The real path: mounts are found by it again. Tools that take no other characters get this path in their arguments. */
export function labsFolder(): string {
  const { DUET_LABS: wanted = "" } = process.env;
  const path = resolve(wanted === "" ? "/var/lib/duet-labs" : wanted);
  const real = existsSync(path) ? realpathSync(path) : path;
  if (!/^[\w./-]+$/.test(real))
    fail(
      "DUET-E-LAB-FOLDER",
      real,
      "the folder of the labs may have letters, digits, and . _ - / in its path",
      "set DUET_LABS to another folder",
      exit.badInput,
    );
  return real;
}

/** One name in every cgroup hierarchy; two labs of one name in different folders stay apart. */
export function cgroupName(folder: string): string {
  return `duet-lab-${createHash("sha256").update(folder).digest("hex").slice(0, 10)}`;
}

export async function saveRecord(folder: string, record: LabRecord): Promise<void> {
  await replaceSynced(join(folder, "lab.json"), JSON.stringify(record, null, 2));
}

export async function readRecord(folder: string): Promise<LabRecord | undefined> {
  const text = await readIfThere(join(folder, "lab.json"));
  if (text === undefined) return undefined;
  try {
    return v.parse(recordSchema, JSON.parse(text));
  } catch {
    return fail(
      "DUET-E-LAB-RECORD",
      join(folder, "lab.json"),
      "the lab's record can't be read",
      "take the lab away: duet lab down",
    );
  }
}

/** The lab of that name. One that is only half made is for its own devices, which are part of the making. */
export async function openLab(name: string, halfWillDo = false): Promise<Lab> {
  const folder = labFolder(name);
  const record = await readRecord(folder);
  if (record === undefined)
    fail("DUET-E-LAB-NONE", name, `there is no lab "${name}"`, `start it: ${labHint(name, "up")}`);
  if (!record.whole && !halfWillDo)
    fail(
      "DUET-E-LAB-HALF",
      name,
      "this lab was cut off while it was made",
      `make it again: ${labHint(name, "up")}, or ${labHint(name, "down")}`,
    );
  const site = await loadSite(join(folder, "site", "site.yaml"));
  return { name, folder, record, site, addresses: planAddresses(site).addresses };
}

/** A machine of the lab with its number, from which ports, hardware addresses and groups are named. */
export interface LabMachine {
  readonly machine: Machine;
  readonly number: number;
  readonly folder: string;
  /** Its cgroup below the lab's. */
  readonly group: string;
  /** The cgroup of what people run on it from outside: it hangs and dies with the machine, but is no sign of power. */
  readonly visitors: string;
}

export function machineOf(lab: Lab, name: string): LabMachine {
  const index = lab.site.machines.findIndex((m) => m.name === name);
  const machine = lab.site.machines[index];
  if (machine === undefined)
    fail(
      "DUET-E-LAB-MACHINE",
      name.slice(0, 64),
      `lab "${lab.name}" has no such machine`,
      `its machines are ${lab.site.machines.map((m) => m.name).join(" and ")}`,
      exit.badInput,
    );
  return {
    machine,
    number: index + 1,
    folder: join(lab.folder, "machines", name),
    group: `machine-${index + 1}`,
    visitors: `visitors-${index + 1}`,
  };
}

export const allMachines = (lab: Lab): readonly LabMachine[] =>
  lab.site.machines.map((m) => machineOf(lab, m.name));

export const cgroupsOf = (lab: Lab): CgroupTree => lab.record.cgroups;

/** The file of one of the lab's network namespaces. */
export const namespaceFile = (folder: string, name: string): string => join(folder, "net", name);

export async function listLabs(): Promise<readonly string[]> {
  try {
    const entries = await readdir(labsFolder(), { withFileTypes: true });
    return entries.filter((e) => e.isDirectory()).map((e) => e.name);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
