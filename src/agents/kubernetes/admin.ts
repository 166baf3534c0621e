import { createPublicKey } from "node:crypto";
import * as v from "valibot";
import { exit, fail } from "../../base/problem.ts";
import { run } from "../../machine/process.ts";
import { type Identity, issueFor, makeKey, publicKeyOf } from "../../machine/x509.ts";
import { kubeconfigText } from "../../render/kubernetes/kubeconfig.ts";
import { adminsGroup, hasKubernetes, type KubernetesSite, publicApi } from "../../render/kubernetes/names.ts";
import type { Site } from "../../site/site.ts";
import { days, readAuthority } from "../authority.ts";
import { callDuet, onFirst } from "../remote.ts";
import { authorityFiles, kinds } from "./authority.ts";

export const days_max = 365;
const adminUser = "duet:admin";
const sign_ms = 20_000;

/** What a machine gives for a public key. Nothing of it is secret. */
const signedShape = v.object({ certificate: v.string(), authority: v.string(), expires: v.string() });
export type Signed = v.InferOutput<typeof signedShape>;

export interface AdminKubeconfig {
  readonly text: string;
  readonly server: string;
  readonly expires: string;
}

export function requireKubernetes(site: Site, where: string): KubernetesSite {
  if (hasKubernetes(site)) return site;
  return fail(
    "DUET-E-KUBERNETES-NONE",
    where,
    "this site has no `kubernetes:`, so duet has made no control plane that it could hand out credentials for",
    "take them from who has made it; or add `kubernetes: {}` and render the site again (docs/kubernetes.md)",
    exit.notHere,
  );
}

/** A whole number of days, within what a lost file may cost. */
export function daysOf(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= days_max) return count;
  return fail(
    "DUET-E-KUBECONFIG-DAYS",
    "--days",
    `credentials are good for 1 to ${days_max} days: nobody can call back a single one`,
    "write a number such as 30; new ones are made as easily as these",
    exit.badInput,
  );
}

/** On a machine: a certificate for a key that it never sees. The authority's key does not leave it. */
export function signAdmin(authority: Identity, publicKey: string, count: number, now: Date): Signed {
  const key = publicKeyOf(publicKey);
  if (key === undefined)
    return fail(
      "DUET-E-KUBECONFIG-KEY",
      "standard input",
      "this is no public key in PEM form on the curve P-256",
      "use `duet kubeconfig` of the same version where the site file is: it sends the right one",
      exit.badInput,
    );
  const validity = days(count, now);
  const leaf = {
    commonName: adminUser,
    organization: adminsGroup,
    usages: ["client"],
    hosts: [],
  } as const;
  return {
    certificate: issueFor(authority, leaf, key, validity),
    authority: authority.certificate,
    expires: validity.to.toISOString(),
  };
}

/** Who has got the keys to everything is in the machine's own log. */
export async function signHere(publicKey: string, count: number, who: string): Promise<Signed> {
  const signed = signAdmin(await readAuthority(authorityFiles("ca"), kinds.ca), publicKey, count, new Date());
  await run(
    ["logger", "-t", "duet", `credentials of an administrator, until ${signed.expires}, for ${who}`],
    {
      accept: "any",
      deadline_ms: 5_000,
    },
  );
  return signed;
}

/** The key is made where it is used: `sign` gets its public half. */
export async function adminKubeconfig(
  site: KubernetesSite,
  sign: (publicKey: string) => Promise<Signed>,
): Promise<AdminKubeconfig> {
  const key = makeKey();
  const publicKey = createPublicKey(key.reveal()).export({ type: "spki", format: "pem" }).toString();
  const { certificate, authority, expires } = await sign(publicKey);
  const server = publicApi(site);
  const text = kubeconfigText({ cluster: site.name, user: adminUser, server, authority, certificate, key });
  return { text, server, expires };
}

/** Signing leaves nothing behind: whatever went wrong on one machine, the other may be asked. */
const nextOne: ReadonlySet<string> = new Set([
  "DUET-E-SEAT-SSH",
  "DUET-E-SEAT-ANSWER",
  "DUET-E-KUBERNETES-CA",
]);

export const signBySsh = (
  site: Site,
  count: number,
  ssh_config: string | undefined,
): ((publicKey: string) => Promise<Signed>) => {
  const call = { words: ["kubeconfig", "--sign", "--days", String(count)], ssh_config, deadline_ms: sign_ms };
  return (publicKey) =>
    onFirst(site.machines, nextOne, (machine) =>
      callDuet(machine, signedShape, { ...call, input: publicKey }),
    );
};
