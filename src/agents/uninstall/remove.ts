import { readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { etcdUnit, paths } from "../../base/paths.ts";
import { fail } from "../../base/problem.ts";
import { exists, isMissing, readIfThere, replaceSynced } from "../../machine/files.ts";
import { lockOf } from "../../machine/lock.ts";
import { run } from "../../machine/process.ts";
import { reserveFor } from "../../machine/reserve.ts";
import { unitState } from "../../machine/systemd.ts";
import { maskFile } from "../../render/etcd.ts";
import { type Footprint, unitFolder } from "../../render/footprint.ts";
import { unitMark } from "../../render/kubernetes/kubelet.ts";
import { issueFile } from "../status/console.ts";

/** Of duet's own, beside the data: what is worth nothing without duet. The rest of that folder stays. */
export const ownNotes: readonly string[] = [
  paths.setupDone,
  paths.setupFailed,
  paths.firstStart,
  paths.begun,
  paths.witness,
  paths.witnessSeen,
  lockOf(paths.witnessSeen),
  paths.witnessSaid,
  lockOf(paths.witnessSaid),
  lockOf(paths.state),
  reserveFor(paths.state),
  paths.stateProbe,
  paths.tagTest,
  paths.assetTags,
  lockOf(paths.assetTags),
  paths.fenceProof,
  paths.rotations,
  maskFile,
  issueFile,
];

/** Where Pacemaker keeps the configuration that setup gave it. */
const cibFolder = "/var/lib/pacemaker/cib";
/** Where Ignition says at the first boot which units are enabled. */
const presetFile = "/etc/systemd/system-preset/20-ignition.preset";
/** What systemd remembers of a timer that makes up for what it missed. */
const stampFolder = "/var/lib/systemd/timers";
const unit_ms = 60_000;
const call_ms = 10_000;

/** They would act on files that are half gone. One that is not there any more is no error. */
export async function stopUnits({ units }: Pick<Footprint, "units">): Promise<void> {
  const there: string[] = [];
  for (const unit of units) if (await exists(join(unitFolder, unit))) there.push(unit);
  if (there.length > 0) {
    await run(["systemctl", "stop", ...there], { accept: "any", deadline_ms: unit_ms });
    await run(["systemctl", "disable", ...there], { deadline_ms: unit_ms });
  }
  const { active } = await unitState(etcdUnit, call_ms);
  if (active === "inactive" || active === "failed") return;
  fail(
    "DUET-E-UNINSTALL-LEAVE",
    etcdUnit,
    `etcd is still ${active}: nothing is taken off below it`,
    "see `systemctl status duet-etcd`, then `duet uninstall` again",
  );
}

/** Each part can be repeated, and misses nothing that is gone already. */
export async function removeAll(
  { files, folders, units, ownUnits, hollow, traces }: Footprint,
  say: (detail: string) => void,
): Promise<void> {
  for (const [program, ...words] of traces) await run([program, ...words], { accept: "any" });
  const trusted = files.some((path) => path.includes("/ca-certificates/"));
  for (const path of [...files, ...ownNotes, ...stampsOf(units)]) {
    await rm(path, { recursive: true, force: true });
    if (dirname(path).endsWith(".d")) await rmdir(dirname(path)).catch(() => undefined);
  }
  for (const path of folders) await rm(path, { recursive: true, force: true });
  for (const unit of ownUnits) await removeOwnUnit(join(unitFolder, unit));
  for (const path of hollow) await rmdir(path).catch(() => undefined);
  await removeHalves(dirname(paths.state));
  await emptyFolder(cibFolder);
  await forgetPresets(units);
  await run(["systemctl", "daemon-reload"], { deadline_ms: unit_ms });
  // Without that it leaves the links to a certificate that is gone, until another one comes.
  if (trusted) await run(["update-ca-certificates", "--fresh"], { accept: "any", deadline_ms: unit_ms });
  say(`${files.length + ownNotes.length} files, ${folders.length} folders`);
}

/** One that setup has put there says so in its first line; every other is the machine's own. */
export async function removeOwnUnit(path: string): Promise<void> {
  if ((await readIfThere(path))?.startsWith(unitMark) === true) await rm(path, { force: true });
}

export const stampsOf = (units: readonly string[]): readonly string[] =>
  units.filter((unit) => unit.endsWith(".timer")).map((unit) => join(stampFolder, `stamp-${unit}`));

/** What a part of duet that was killed had written beside a file, to take its place. */
export async function removeHalves(folder: string): Promise<void> {
  for (const name of await namesIn(folder))
    if (/\.\d+\.\d+\.tmp$/.test(name)) await rm(join(folder, name), { force: true });
}

async function emptyFolder(path: string): Promise<void> {
  for (const name of await namesIn(path)) await rm(join(path, name), { recursive: true, force: true });
}

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });

/** Only the lines that name a unit of duet's. */
async function forgetPresets(units: readonly string[], path = presetFile): Promise<void> {
  const text = await readIfThere(path);
  if (text === undefined) return;
  const left = withoutPresets(text, units);
  if (left === text) return;
  if (left.trim() === "") await rm(path, { force: true });
  else await replaceSynced(path, left);
}

export const withoutPresets = (text: string, units: readonly string[]): string =>
  text
    .split("\n")
    .filter((line) => !units.includes(line.trim().split(/\s+/)[1] ?? ""))
    .join("\n");

export async function giveBack(services: readonly string[]): Promise<void> {
  for (const service of services)
    if ((await unitState(`${service}.service`, call_ms)).load === "loaded")
      await run(["systemctl", "enable", `${service}.service`], { deadline_ms: unit_ms });
}

/** What is still there of what should be gone: for who has done it, and for tests. */
export async function leftovers({ files, folders, units }: Footprint): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of [...files, ...folders, ...ownNotes, ...stampsOf(units)])
    if (await exists(path)) found.push(path);
  return found;
}
