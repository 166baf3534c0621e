import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { gather, refuseNotYet } from "../src/agents/render.ts";
import { DuetError, exit } from "../src/base/problem.ts";
import { run } from "../src/machine/process.ts";
import { loadSite, siteFolder } from "../src/machine/site-file.ts";
import { readSite } from "../src/site/read.ts";
import type { Credentials, Site } from "../src/site/site.ts";
import { writeSite } from "../src/site/write.ts";
import { planAddresses } from "./addresses.ts";
import { imageNames } from "./kubernetes/containers.ts";
import { kubernetes_version } from "./kubernetes/versions.ts";

export interface DefaultSiteOptions {
  readonly ipv6?: boolean;
  readonly pdu?: boolean;
  readonly kubernetes?: boolean;
  /** `false`: with Kubernetes the API has no virtual IP. */
  readonly address?: boolean;
  readonly fencing?: Site["fencing"]["agent"];
  /** What can't be stopped has its machine fenced. */
  readonly escalate?: boolean;
  /** How long the lab's BMCs take to switch a machine off. */
  readonly off_ms?: number;
}

/** With it a call to a BMC has 6 s: there are stories with one that takes 5 s for an answer. */
const fence_ms_min = 12_000;

/** The site that a lab has when the user brings none: two machines, two links, a BMC each, documentation addresses. */
export function defaultSite(name: string, options: DefaultSiteOptions = {}): Site {
  const v6 = options.ipv6 === true;
  const machine = (n: number) => ({
    name: `node${n}`,
    addresses: v6
      ? [`2001:db8:1::${n + 10}`, `2001:db8:2::${n + 10}`]
      : [`192.0.2.${n + 10}`, `198.51.100.${n + 10}`],
    bmc: {
      address: v6 ? `https://[2001:db8:3::${n + 10}]` : `https://203.0.113.${n + 10}`,
      credentials: { file: `node${n}.bmc` },
    },
    ...(options.pdu === true
      ? {
          pdu: {
            address: v6 ? "https://[2001:db8:3::20]" : "https://203.0.113.20",
            outlet: `/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/node${n}`,
            credentials: { file: "pdu" },
          },
        }
      : {}),
  });
  const text = JSON.stringify({
    name,
    topology: "dual-replica",
    ssh_key: "operator.pub",
    machines: [machine(1), machine(2)],
    ...(options.kubernetes === true ? controlPlane(v6, options.address !== false) : {}),
    fencing: {
      ...(options.fencing === undefined ? {} : { agent: options.fencing }),
      ...(options.escalate === true ? { stop_failure: "fence" } : {}),
    },
    // The lab's BMCs are quicker than those that the default is for, and what is left to a fence is waited for in each race.
    timeouts: { fence: `${Math.max(fence_ms_min, (options.off_ms ?? 0) + fence_ms_min / 2)}ms` },
  });
  const { site, problems } = readSite(text, "the lab's own site");
  if (site === undefined) throw new DuetError(problems);
  return site;
}

/** A control plane, with networks that are for trying things out, and an address that is nobody's. */
const controlPlane = (v6: boolean, address: boolean) => ({
  ...(address ? { api: { address: v6 ? "2001:db8:1::10" : "192.0.2.10" } } : {}),
  kubernetes: v6 ? {} : { pods: "198.18.0.0/16", services: "198.19.0.0/16" },
});

/** A site with everything that its file refers to, read and found whole. */
export interface GivenSite {
  readonly site: Site;
  /** `username:password` by the name of the file that will hold it. */
  readonly credentials: ReadonlyMap<string, string>;
  /** Public keys for root, line by line. */
  readonly keys: readonly string[];
}

/** The user's site for a lab: refused before anything is changed where a lab can't be made of it. */
export async function givenSite(siteFile: string): Promise<GivenSite> {
  const site = await loadSite(siteFile);
  refuseNotYet(site);
  const { problems } = planAddresses(site);
  if (problems.length > 0) throw new DuetError(problems, exit.badInput);
  const materials = await gather(site, siteFolder(siteFile));
  const line = (c: Credentials) => `${c.username}:${c.password.reveal()}`;
  const credentials = new Map([...materials.credentials].map(([name, c]) => [`${name}.bmc`, line(c)]));
  const [pdu] = [...materials.pduCredentials.values()].flat();
  if (pdu !== undefined) credentials.set("pdu", line(pdu));
  const alerts = fromAnywhere(site.alerts, siteFolder(siteFile));
  return { site: { ...site, alerts }, credentials, keys: materials.sshKeys };
}

/** The lab's own folder has another place than the user's: what the alerts refer to stays where it is. */
const fromAnywhere = (alerts: Site["alerts"], folder: string): Site["alerts"] =>
  alerts.map((alert) => {
    if (alert.by !== "webhook") return alert;
    const { url, headers, trust } = alert;
    return {
      ...alert,
      url: typeof url === "string" ? url : { file: resolve(folder, url.file) },
      ...(headers === undefined ? {} : { headers: resolve(folder, headers) }),
      trust: trust.by === "ca" ? { ...trust, file: resolve(folder, trust.file) } : trust,
    };
  });

/** The lab's own site, with credentials made for it. */
export function ownSite(name: string, options: DefaultSiteOptions): GivenSite {
  const site = defaultSite(name, options);
  const files = [...site.machines.map((m) => `${m.name}.bmc`), ...(options.pdu === true ? ["pdu"] : [])];
  return { site, credentials: new Map(files.map((file) => [file, awkwardCredentials()])), keys: [] };
}

/**
 * The operator's folder of a lab: site file, credentials, keys, as at a real site. What the lab stands for is replaced:
 * BMCs are trusted by the lab's authority, the operator's key is the lab's, beside the user's, and Kubernetes is the one
 * that the lab has built.
 */
export async function prepareSite(folder: string, given: GivenSite): Promise<Site> {
  await mkdir(folder, { recursive: true });
  for (const [file, line] of given.credentials)
    await writeFile(join(folder, file), `${line}\n`, { mode: 0o600 });
  const operator = join(folder, "operator");
  await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "operator of the lab", "-f", operator]);
  if (given.keys.length > 0) await writeFile(join(folder, "site-keys.pub"), `${given.keys.join("\n")}\n`);
  const trust = { by: "ca", file: "bmc-ca.crt" } as const;
  const site: Site = {
    ...given.site,
    ...(given.site.kubernetes === undefined
      ? {}
      : { kubernetes: { ...given.site.kubernetes, version: kubernetes_version, images: imageNames } }),
    ssh_keys: ["operator.pub", ...(given.keys.length > 0 ? ["site-keys.pub"] : [])],
    machines: given.site.machines.map((m) => ({
      ...m,
      bmc: { ...m.bmc, credentials: { file: `${m.name}.bmc` }, trust },
      pdus: m.pdus.map((pdu) => ({ ...pdu, credentials: { file: "pdu" }, trust })),
    })),
  };
  await writeFile(join(folder, "site.yaml"), writeSite(site));
  return site;
}

/** Every lab's passwords have what breaks careless quoting, so that it breaks here and not at a customer's. */
function awkwardCredentials(): string {
  return `operator:p$HOME "${randomBytes(9).toString("base64url")}" 'it\`s\` \\ #1; :é`;
}
