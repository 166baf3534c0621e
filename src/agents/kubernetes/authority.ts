import { createPublicKey } from "node:crypto";
import { join } from "node:path";
import type { KubernetesMaterials } from "../../render/kubernetes/files.ts";
import { type KubernetesAuthority, pkiFile } from "../../render/kubernetes/names.ts";
import { type AuthorityKind, type IdentityFiles, keptAuthority, keptKey } from "../authority.ts";

const kind = (whose: string, called: string, name: KubernetesAuthority | "sa"): AuthorityKind => ({
  whose,
  called,
  code: "DUET-E-KUBERNETES-CA",
  there: name === "sa" ? pkiFile(name, "key") : `${pkiFile(name, "crt")} and ${name}.key`,
});

export const kinds = {
  ca: kind("Kubernetes", "Kubernetes' certificate authority", "ca"),
  "front-proxy-ca": kind("front-proxy", "the front proxy's certificate authority", "front-proxy-ca"),
  sa: kind("service accounts", "the tokens of service accounts", "sa"),
} as const;

/** Where a machine has them. */
export const authorityFiles = (name: KubernetesAuthority): IdentityFiles => ({
  certificate: pkiFile(name, "crt"),
  key: pkiFile(name, "key"),
});

/** Made once, and kept beside the rendered files as etcd's authority is: the same for both machines, and for a later one. */
export async function keptKubernetes(site: string, folder: string, now: Date): Promise<KubernetesMaterials> {
  const kept = async (name: KubernetesAuthority) =>
    await keptAuthority(
      site,
      {
        certificate: join(folder, `kubernetes-${name}.crt`),
        key: join(folder, `kubernetes-${name}.key`),
      },
      now,
      kinds[name],
    );
  const key = await keptKey(join(folder, "kubernetes-sa.key"), kinds.sa);
  const publicKey = createPublicKey(key.reveal()).export({ type: "spki", format: "pem" }).toString();
  return {
    authority: await kept("ca"),
    frontProxyAuthority: await kept("front-proxy-ca"),
    serviceAccount: { key, publicKey },
  };
}
