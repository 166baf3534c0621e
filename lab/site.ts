import { randomBytes } from "node:crypto";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DuetError, exit } from "../src/base/problem.ts";
import { loadCredentials } from "../src/machine/credentials.ts";
import { run } from "../src/machine/process.ts";
import { loadSite } from "../src/machine/site-file.ts";
import { readSite } from "../src/site/read.ts";
import type { CredentialsRef, Site } from "../src/site/site.ts";
import { writeSite } from "../src/site/write.ts";
import { planAddresses } from "./addresses.ts";

export interface DefaultSiteOptions {
  readonly ipv6?: boolean;
  readonly pdu?: boolean;
}

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
  });
  const { site, problems } = readSite(text, "the lab's own site");
  if (site === undefined) throw new DuetError(problems);
  return site;
}

/**
 * The operator's folder of a lab: site file, credentials, keys, as at a real site. The site is the user's or the default;
 * what the lab stands for is replaced: BMCs are trusted by the lab's authority, and the operator's key is the lab's.
 */
export async function prepareSite(
  folder: string,
  siteFile: string | undefined,
  name: string,
  options: DefaultSiteOptions,
): Promise<Site> {
  const given = siteFile === undefined ? undefined : await loadSite(siteFile);
  const site = given ?? defaultSite(name, options);
  const { problems } = planAddresses(site);
  if (problems.length > 0) throw new DuetError(problems, exit.badInput);
  const credentials = async (ref: CredentialsRef): Promise<string> => {
    if (siteFile === undefined) return awkwardCredentials();
    const { username, password } = await loadCredentials(ref, dirname(resolve(siteFile)));
    return `${username}:${password.reveal()}`;
  };
  // Everything that can be wrong is read before the first file is written.
  const lines = new Map<string, string>();
  for (const m of site.machines) {
    lines.set(`${m.name}.bmc`, await credentials(m.bmc.credentials));
    if (m.pdu !== undefined) lines.set("pdu", lines.get("pdu") ?? (await credentials(m.pdu.credentials)));
  }
  await mkdir(folder, { recursive: true });
  for (const [file, line] of lines) await writeFile(join(folder, file), `${line}\n`, { mode: 0o600 });
  const keys = [...(await copyKeys(given, siteFile, folder)), "operator.pub"];
  await run([
    "ssh-keygen",
    "-q",
    "-t",
    "ed25519",
    "-N",
    "",
    "-C",
    "operator of the lab",
    "-f",
    join(folder, "operator"),
  ]);
  const trust = { by: "ca", file: "bmc-ca.crt" } as const;
  const labSite: Site = {
    ...site,
    ssh_keys: keys,
    machines: site.machines.map((m) => ({
      ...m,
      bmc: { ...m.bmc, credentials: { file: `${m.name}.bmc` }, trust },
      ...(m.pdu === undefined ? {} : { pdu: { ...m.pdu, credentials: { file: "pdu" }, trust } }),
    })),
  };
  await writeFile(join(folder, "site.yaml"), writeSite(labSite));
  return labSite;
}

async function copyKeys(
  given: Site | undefined,
  siteFile: string | undefined,
  folder: string,
): Promise<readonly string[]> {
  const copied: string[] = [];
  for (const [i, key] of (given?.ssh_keys ?? []).entries()) {
    const name = `site-key-${i + 1}.pub`;
    await copyFile(resolve(dirname(resolve(siteFile ?? ".")), key), join(folder, name));
    copied.push(name);
  }
  return copied;
}

/** Every lab's passwords have what breaks careless quoting, so that it breaks here and not at a customer's. */
function awkwardCredentials(): string {
  return `operator:p$HOME "${randomBytes(9).toString("base64url")}" 'it\`s\` \\ #1; :é`;
}
