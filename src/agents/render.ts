import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { DuetError, exit, fail, type Problem } from "../base/problem.ts";
import { Secret } from "../base/secret.ts";
import { loadHeaders, loadHookUrl } from "../machine/alert-files.ts";
import { loadCredentials } from "../machine/credentials.ts";
import { errnoOf, makeFolder, readSmall, replaceSynced } from "../machine/files.ts";
import { loadSite, siteFolder } from "../machine/site-file.ts";
import { loadSshKeys } from "../machine/ssh-keys.ts";
import { loadTrust } from "../machine/trust.ts";
import { unheldAddress } from "../render/api-address.ts";
import { type Materials, machineIgnition } from "../render/machine.ts";
import { authorities } from "../render/machine-site.ts";
import { notYet } from "../render/not-yet.ts";
import type { Credentials, CredentialsRef, Site } from "../site/site.ts";
import { keptAuthority } from "./authority.ts";
import { keptKubernetes } from "./kubernetes/authority.ts";

/**
 * Writes each machine's Ignition file into a folder. All of them or none: everything is read and checked first. What is valid and
 * would do nothing is told, and no reason to write nothing.
 */
export async function renderSite(
  siteFile: string,
  folder: string,
  tell: (line: string) => void = (line) => void process.stderr.write(line),
): Promise<readonly string[]> {
  const site = await loadSite(siteFile);
  refuseNotYet(site);
  for (const { what, fix, code } of unheldAddress(site))
    tell(`${siteFile}: ${what}\n    ${fix}  [${code}]\n`);
  const found = await gather(site, siteFolder(siteFile));
  return await writing(folder, async () => {
    await makeFolder(folder, 0o700);
    const materials = {
      ...found,
      corosyncKey: await corosyncKey(folder),
      etcdAuthority: await keptAuthority(site.name, etcdAuthorityFiles(folder), new Date()),
      ...(site.kubernetes === undefined
        ? {}
        : { kubernetes: await keptKubernetes(site.name, folder, new Date()) }),
    };
    const rendered = site.machines.map((m) => ({
      path: join(folder, `${m.name}.ign`),
      content: `${JSON.stringify(machineIgnition(site, m, materials), null, 1)}\n`,
    }));
    for (const file of rendered) await refuseFolder(file.path);
    // They hold the BMCs' passwords, the cluster's key and etcd's authority.
    for (const file of rendered) await replaceSynced(file.path, file.content, 0o600);
    return rendered.map((f) => f.path);
  });
}

const etcdAuthorityFiles = (folder: string) => ({
  certificate: join(folder, "etcd-ca.crt"),
  key: join(folder, "etcd-ca.key"),
});

/** What is valid, and can't be rendered in this version: told as such, with status 3. */
export function refuseNotYet(site: Site): void {
  const problems = notYet(site).map(({ code, where, what, fix }) => ({ code, where, what, fix }));
  if (problems.length > 0) throw new DuetError(problems, exit.notHere);
}

/** Everything that the site file refers to. All that is missing or wrong is told at once, and nothing is written. */
export async function gather(
  site: Site,
  folder: string,
): Promise<Omit<Materials, "corosyncKey" | "etcdAuthority" | "kubernetes">> {
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
  const pduCredentials = new Map<string, readonly Credentials[]>();
  // One that can't be read is told as a problem, and then nothing is rendered: no later one moves into its place.
  const load = async (refs: readonly CredentialsRef[]): Promise<readonly Credentials[]> => {
    const loaded: Credentials[] = [];
    for (const ref of refs) {
      const one = await collect(loadCredentials(ref, folder));
      if (one !== undefined) loaded.push(one);
    }
    return loaded;
  };
  for (const m of site.machines) {
    const [bmc] = await load([m.bmc.credentials]);
    if (bmc !== undefined) credentials.set(m.name, bmc);
    pduCredentials.set(m.name, await load(m.pdus.map((pdu) => pdu.credentials)));
  }
  const sshKeys: string[] = [];
  for (const file of site.ssh_keys) sshKeys.push(...((await collect(loadSshKeys(file, folder))) ?? []));
  const trusted = new Map<string, string>();
  for (const file of authorities(site)) {
    const loaded = await collect(loadTrust({ by: "ca", file }, folder));
    if (loaded?.by === "ca") trusted.set(file, loaded.pem);
  }
  const alerts = { secrets: new Map<string, Secret>(), authorities: new Map<string, string>() };
  for (const alert of site.alerts) {
    if (alert.by !== "webhook") continue;
    const { url, headers, trust } = alert;
    const address = typeof url === "string" ? undefined : await collect(loadHookUrl(url.file, folder));
    if (address !== undefined && typeof url !== "string") alerts.secrets.set(url.file, address);
    const lines = headers === undefined ? undefined : await collect(loadHeaders(headers, folder));
    if (lines !== undefined && headers !== undefined)
      alerts.secrets.set(
        headers,
        new Secret(lines.map(([name, value]) => `${name}: ${value.reveal()}\n`).join("")),
      );
    const authority = await collect(loadTrust(trust, folder));
    if (authority?.by === "ca" && trust.by === "ca") alerts.authorities.set(trust.file, authority.pem);
  }
  if (problems.length > 0) throw new DuetError(problems, exit.badInput);
  return {
    alerts,
    credentials,
    pduCredentials,
    sshKeys,
    authorities: trusted,
  };
}

const key_bytes = 256;

/** Made once and kept beside the rendered files: a site rendered again must still be the same cluster. */
async function corosyncKey(folder: string): Promise<Uint8Array> {
  const path = join(folder, "corosync.key");
  const kept = await readSmall(path, 4096);
  if (!kept.ok && kept.kind === "missing") {
    const made = randomBytes(key_bytes);
    await replaceSynced(path, `${made.toString("base64")}\n`, 0o600);
    return made;
  }
  const text = kept.ok ? kept.text.trim() : "";
  const key = Buffer.from(text, "base64");
  // Node skips over what is no base64: only a key that reads back as the same text is the one that was kept.
  if (key.length === key_bytes && key.toString("base64") === text) return key;
  return fail(
    "DUET-E-COROSYNC-KEY",
    path,
    kept.ok
      ? `this is not the cluster's key, ${key_bytes} bytes in base64`
      : `the cluster's key can't be read: ${kept.why}`,
    `put the right one back (on a machine of the site: \`base64 -w0 /etc/corosync/authkey\`); for a site that was never installed, remove the file and a new one is made`,
    exit.badInput,
  );
}

/** A folder in the place of the last file would be found only after the first was written. */
async function refuseFolder(path: string): Promise<void> {
  const found = await readSmall(path, 0);
  if (!found.ok && found.kind === "no-file") cantWrite(path, `${found.why}, and a file belongs there`, true);
}

/** What the system refuses while something is written below the folder. */
async function writing<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = errnoOf(error);
    if (code === undefined) throw error;
    return cantWrite(folder, wrongPath[code] ?? code, Object.hasOwn(wrongPath, code));
  }
}

function cantWrite(where: string, why: string, path_is_wrong: boolean): never {
  fail(
    "DUET-E-RENDER-WRITE",
    where,
    `can't be written: ${why}`,
    path_is_wrong
      ? "name a folder of your own with -o; it is made if it is not there"
      : "see to the disk, then render again",
    path_is_wrong ? exit.badInput : exit.failed,
  );
}

const wrongPath: Readonly<Record<string, string>> = {
  EEXIST: "there is a file of this name",
  ENOTDIR: "a part of the path is a file",
  EISDIR: "a folder stands where a file would be written",
  EACCES: "you may not write there",
  EPERM: "you may not write there",
  EROFS: "the file system is read-only",
  ENOENT: "no folder can be made there",
};
