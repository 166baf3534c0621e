import { randomBytes } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DuetError, exit, fail, type Problem } from "../base/problem.ts";
import { loadCredentials } from "../machine/credentials.ts";
import { isMissing, readIfThere, replaceSynced } from "../machine/files.ts";
import { loadSite, siteFolder } from "../machine/site-file.ts";
import { type Materials, machineIgnition } from "../render/machine.ts";
import { authorities } from "../render/machine-site.ts";
import type { Credentials, CredentialsRef, Site } from "../site/site.ts";

/** Writes each machine's Ignition file into a folder. All of them or none: everything is read and checked first. */
export async function renderSite(siteFile: string, folder: string): Promise<readonly string[]> {
  const site = await loadSite(siteFile);
  refuseNotYet(site);
  const found = await gather(site, siteFolder(siteFile));
  const materials = { ...found, corosyncKey: await corosyncKey(folder) };
  const rendered = site.machines.map((m) => ({
    path: join(folder, `${m.name}.ign`),
    content: `${JSON.stringify(machineIgnition(site, m, materials), null, 1)}\n`,
  }));
  // They hold the BMCs' passwords and the cluster's key.
  for (const file of rendered) await replaceSynced(file.path, file.content, 0o600);
  return rendered.map((f) => f.path);
}

/** What is valid, and can't be rendered in this version: told as such, with status 3. */
export function refuseNotYet(site: Site): void {
  if (site.topology !== "dual-replica")
    fail(
      "DUET-E-NOT-YET",
      `topology ${site.topology}`,
      "the file is valid, but duet can't render this topology yet",
      "only `topology: dual-replica` can be rendered in this version",
      exit.notHere,
    );
  const pinned = site.machines.find((m) => m.bmc.trust.by === "fingerprint");
  if (pinned !== undefined)
    fail(
      "DUET-E-NOT-YET",
      `trust of ${pinned.name}'s BMC`,
      "the stock fence agent can't check a fingerprint, and duet does not turn verification off by itself",
      "use `trust: { ca: FILE }` with the BMC's certificate or its authority's for now",
      exit.notHere,
    );
}

/** Everything that the site file refers to. All that is missing is told at once, and nothing is written. */
export async function gather(site: Site, folder: string): Promise<Omit<Materials, "corosyncKey">> {
  const problems: Problem[] = [];
  const collect = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DuetError)) throw error;
      problems.push(...error.problems);
      return undefined;
    }
  };
  const credentials = new Map<string, Credentials>();
  const pduCredentials = new Map<string, Credentials>();
  const load = async (into: Map<string, Credentials>, name: string, ref: CredentialsRef) => {
    const loaded = await collect(loadCredentials(ref, folder));
    if (loaded !== undefined) into.set(name, loaded);
  };
  for (const m of site.machines) {
    await load(credentials, m.name, m.bmc.credentials);
    if (m.pdu !== undefined) await load(pduCredentials, m.name, m.pdu.credentials);
  }
  const sshKeys: string[] = [];
  for (const file of site.ssh_keys) {
    const text = await collect(readReferenced(file, folder, "a public key for root"));
    if (text !== undefined)
      sshKeys.push(
        ...text
          .split("\n")
          .map((l) => l.trim())
          .filter(Boolean),
      );
  }
  const trusted = new Map<string, string>();
  for (const file of authorities(site)) {
    const pem = await collect(readReferenced(file, folder, "a certificate that a BMC is trusted by"));
    if (pem !== undefined) trusted.set(file, pem);
  }
  if (problems.length > 0) throw new DuetError(problems, exit.badInput);
  return {
    credentials,
    pduCredentials,
    sshKeys,
    authorities: trusted,
  };
}

async function readReferenced(file: string, siteFolder: string, what: string): Promise<string> {
  try {
    return await readFile(resolve(siteFolder, file), "utf8");
  } catch (error) {
    if (!isMissing(error)) throw error;
    return fail(
      "DUET-E-FILE-MISSING",
      file,
      `the site file names it as ${what}, and it is not there`,
      `create ${resolve(siteFolder, file)}, or correct the path`,
      exit.badInput,
    );
  }
}

/** Made once and kept beside the rendered files: a site rendered again must still be the same cluster. */
async function corosyncKey(folder: string): Promise<Uint8Array> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "corosync.key");
  const kept = await readIfThere(path);
  if (kept !== undefined) return Buffer.from(kept.trim(), "base64");
  const made = randomBytes(256);
  await replaceSynced(path, `${made.toString("base64")}\n`, 0o600);
  return made;
}
