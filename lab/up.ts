import { copyFile, link, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { renderSite } from "../src/agents/render.ts";
import { exit, fail } from "../src/base/problem.ts";
import { until } from "../src/machine/clock.ts";
import { exists } from "../src/machine/files.ts";
import type { Progress } from "../src/machine/progress.ts";
import { hostOf, planAddresses } from "./addresses.ts";
import type { PowerTimes } from "./bmc/power/sequencer.ts";
import { buildDuet } from "./build.ts";
import { makeAuthority, makeCertificate } from "./certificates.ts";
import { planCgroups } from "./cgroup.ts";
import { bmcFolder, pduFolder, startBmc, startPdu } from "./devices.ts";
import { removeLab } from "./down.ts";
import {
  allMachines,
  cgroupName,
  hostBootId,
  lab_mode,
  labHint,
  type Lab,
  labFolder,
  type LabMachine,
  type LabRecord,
  readRecord,
  saveRecord,
} from "./folder.ts";
import { ensureHost } from "./host.ts";
import { ignite } from "./ignite.ts";
import { ensureImage } from "./image.ts";
import { ensureKubernetes, type KubernetesParts } from "./kubernetes/ensure.ts";
import { waitKubernetes } from "./kubernetes/ready.ts";
import { layerOf, makeDisk } from "./metal/disk.ts";
import { metalOf } from "./metal/power.ts";
import { layWires } from "./network.ts";
import { passing, runIn } from "./run.ts";
import { writeSeat } from "./seat.ts";
import { type DefaultSiteOptions, type GivenSite, givenSite, ownSite, prepareSite } from "./site.ts";

export interface UpOptions extends DefaultSiteOptions {
  readonly name: string;
  readonly siteFile?: string;
  readonly disk_mb: number;
  readonly off_ms: number;
  readonly on_ms: number;
  /** Where the BMCs are not alike, by their machines' names. The times above are the slowest one's then: the site's own follow from them. */
  readonly bmcs?: Readonly<Record<string, PowerTimes>>;
  /** Return as soon as the machines have power, without waiting for their first boot to be done. */
  readonly wait: boolean;
}

/** What it takes to lay a lab, before a machine has power. */
export type LayOptions = Omit<UpOptions, "wait">;

/** Wires, BMCs' places and the operator's seat. No machine has a disk yet, and the lab is not whole. */
export async function labLaid(options: LayOptions, progress: Progress): Promise<Lab> {
  const { ipv6, pdu, kubernetes } = options;
  if (options.siteFile !== undefined && [ipv6, pdu, kubernetes].includes(true))
    fail(
      "DUET-E-USAGE",
      options.siteFile,
      "--ipv6, --pdu and --kubernetes shape the lab's own site, and you brought one",
      "say it in your site file, or leave the file out",
      exit.badInput,
    );
  // Everything that can be wrong with the input is found before the first package is installed or file written.
  const given = options.siteFile === undefined ? undefined : await givenSite(options.siteFile);
  await ensureHost(progress);
  const parts: Parts =
    kubernetes === true || given?.site.kubernetes !== undefined
      ? await ensureKubernetes(progress)
      : { image: await ensureImage(progress) };
  const executable = await buildDuet(progress);
  const folder = labFolder(options.name);
  await clearWay(folder, options.name, progress);
  return await progress.step("wires, BMCs' certificates, operator's seat", () =>
    lay(folder, parts, executable, given, options),
  );
}

export async function labUp(options: UpOptions, progress: Progress): Promise<Lab> {
  const lab = await labLaid(options, progress);
  const { folder } = lab;
  await progress.step("disks, and Ignition on each", async () => {
    const rendered = await renderSite(join(folder, "site", "site.yaml"), join(folder, "site", "rendered"));
    await Promise.all(allMachines(lab).map((m, i) => install(lab, m, rendered[i] ?? "")));
  });
  await progress.step("BMCs up, machines powered on", async () => {
    const machines = allMachines(lab);
    await Promise.all([
      ...machines.map((m) => startBmc(lab, m, { feedReturned: false })),
      ...machines.map((m) => metalOf(lab, m.machine.name).on()),
      ...(lab.addresses.pdu === undefined ? [] : [startPdu(lab)]),
    ]);
  });
  await saveRecord(folder, { ...lab.record, whole: true });
  if (options.wait) {
    await progress.step("first boot: duet-setup on both, one cluster", () => waitSetUp(lab));
    if (lab.record.kubernetes !== undefined)
      await progress.step("Kubernetes: both nodes Ready, DNS on them", () => waitKubernetes(lab));
  }
  return lab;
}

/** What the machines run from; only those with Kubernetes have more than an image. */
type Parts = KubernetesParts | Pick<KubernetesParts, "image">;

/** A lab that stands is not touched; what a killed program left is cleaned away. */
export async function clearWay(folder: string, name: string, progress: Progress): Promise<void> {
  if (!(await exists(folder))) return;
  const record = await readRecord(folder).catch(() => undefined);
  // After a reboot of the host nothing of it runs any more. Machines without power are no sign of a crash.
  if (record?.whole === true && record.boot_id === (await hostBootId()))
    fail(
      "DUET-E-LAB-EXISTS",
      name,
      `lab "${name}" is up already`,
      `use it, take it down (${labHint(name, "down")}), or choose another --name`,
    );
  await progress.step("clean up what an earlier run left", () => removeLab(folder));
}

async function lay(
  folder: string,
  { image, ...kubernetes }: Parts,
  executable: string,
  given: GivenSite | undefined,
  options: LayOptions,
): Promise<Lab> {
  const record: LabRecord = {
    version: 1,
    image,
    executable,
    ...("layer" in kubernetes ? { kubernetes } : {}),
    cgroups: toMutable(await planCgroups(cgroupName(folder))),
    bmc_times: { off_ms: options.off_ms, on_ms: options.on_ms },
    ...(options.bmcs === undefined ? {} : { bmc_times_of: { ...options.bmcs } }),
    disk_mb: options.disk_mb,
    started_at: new Date().toISOString(),
    boot_id: await hostBootId(),
    whole: false,
  };
  const siteFolder = join(folder, "site");
  await mkdir(folder, { recursive: true, mode: lab_mode });
  const site = await prepareSite(siteFolder, given ?? ownSite(options.name, options));
  await saveRecord(folder, record);
  const lab: Lab = { name: options.name, folder, record, site, addresses: planAddresses(site).addresses };
  await carryDuet(lab);
  const authority = await makeAuthority(folder);
  await copyFile(authority.certificate, join(siteFolder, "bmc-ca.crt"));
  for (const m of allMachines(lab)) {
    await mkdir(bmcFolder(m), { recursive: true });
    await makeCertificate(bmcFolder(m), hostOf(m.machine.bmc.url), authority);
  }
  const [pdu] = site.machines.flatMap((m) => m.pdus);
  if (pdu !== undefined) {
    await mkdir(pduFolder(lab), { recursive: true });
    await makeCertificate(pduFolder(lab), hostOf(pdu.url), authority);
  }
  await layWires(lab);
  await writeSeat(lab);
  return lab;
}

const toMutable = (tree: Awaited<ReturnType<typeof planCgroups>>) => ({
  ...tree,
  folders: [...tree.folders],
});

/** duet on the machines' image: a layer above it with the one file, at a real site a package or an image layer. */
async function carryDuet(lab: Lab): Promise<void> {
  const target = join(layerOf(lab), "usr", "local", "bin", "duet");
  await mkdir(dirname(target), { recursive: true });
  await link(lab.record.executable, target).catch(() => copyFile(lab.record.executable, target));
}

/** A new disk, with all that its first boot needs. */
export async function install(lab: Lab, m: LabMachine, ignitionFile: string): Promise<void> {
  await makeDisk(lab, m);
  await ignite(lab, m, ignitionFile);
}

const isSetUp = ["test", "-e", "/var/lib/duet/setup-done"];

/** Until the product's own first-boot unit says that it is done, on each machine; its error if it says that. */
export async function waitSetUp(lab: Lab): Promise<void> {
  await Promise.all(
    allMachines(lab).map((m) =>
      until(
        `duet-setup on ${m.machine.name} (see: ${labHint(lab.name, `run ${m.machine.name}`)} -- journalctl -u duet-setup)`,
        // Where the site consents to a real Off the machine has no power for a while.
        () =>
          passing(async () => (await runIn(lab, m.machine.name, isSetUp, { accept: "any" })).status === 0),
        { deadline_ms: 300_000, every_ms: 200 },
      ),
    ),
  );
}
