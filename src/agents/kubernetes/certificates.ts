import { readIfThere, replaceSynced } from "../../machine/files.ts";
import { type Identity, isKey, issue, type Leaf, makeKey } from "../../machine/x509.ts";
import { tlsFile } from "../../render/etcd.ts";
import { kubeconfigText, readKubeconfig } from "../../render/kubernetes/kubeconfig.ts";
import {
  apiServiceAddress,
  clusterDomain,
  kubeconfigFile,
  type KubeconfigName,
  kubeconfigNames,
  type KubernetesLeaf,
  type KubernetesSite,
  leafNames,
  localApi,
  machineUser,
  pkiFile,
} from "../../render/kubernetes/names.ts";
import { kubeletClientUser } from "../../render/kubernetes/objects.ts";
import type { Machine } from "../../site/site.ts";
import { type IdentityFiles, readAuthority, years } from "../authority.ts";
import { ensureLeaf, isGood, leaf_years } from "../certificates.ts";
import { authorityFiles, kinds } from "./authority.ts";

type Signer = "ca" | "front-proxy-ca" | "etcd";

/** What each is for, and who signs it. */
export function kubernetesLeaves(
  site: KubernetesSite,
  machine: Machine,
): Readonly<Record<KubernetesLeaf, Leaf & { readonly by: Signer }>> {
  const own = [machine.name, ...machine.addresses];
  const service = "kubernetes.default.svc";
  const client = (commonName: string, by: Signer) =>
    ({ by, commonName, usages: ["client"], hosts: [] }) as const;
  return {
    apiserver: {
      by: "ca",
      commonName: "kube-apiserver",
      usages: ["server"],
      hosts: [
        ...own,
        "localhost",
        "127.0.0.1",
        "::1",
        ...(site.api === undefined ? [] : [site.api.address]),
        ...site.kubernetes.names,
        apiServiceAddress(site),
        "kubernetes",
        "kubernetes.default",
        service,
        `${service}.${clusterDomain}`,
      ],
    },
    // A name that RBAC gives the kubelets to, and nothing else of the API.
    "apiserver-kubelet-client": client(kubeletClientUser, "ca"),
    "apiserver-etcd-client": client("kube-apiserver", "etcd"),
    "front-proxy-client": client("front-proxy-client", "front-proxy-ca"),
    kubelet: { by: "ca", commonName: machine.name, usages: ["server"], hosts: own },
  };
}

/** As whom each program of a machine speaks to the API. */
export function kubernetesUsers({ name }: Machine): Readonly<Record<KubeconfigName, Leaf>> {
  const user = (commonName: string) => ({ commonName, usages: ["client"], hosts: [] }) as const;
  return {
    kubelet: { ...user(`system:node:${name}`), organization: "system:nodes" },
    "controller-manager": user("system:kube-controller-manager"),
    scheduler: user("system:kube-scheduler"),
    proxy: user("system:kube-proxy"),
    duet: user(machineUser(name)),
  };
}

/** Where they are; tests have theirs. */
export interface Places {
  readonly authority: (name: Signer) => IdentityFiles;
  readonly leaf: (name: KubernetesLeaf) => IdentityFiles;
  readonly kubeconfig: (name: KubeconfigName) => string;
}

const places: Places = {
  authority: (name) =>
    name === "etcd" ? { certificate: tlsFile("ca", "crt"), key: tlsFile("ca", "key") } : authorityFiles(name),
  leaf: (name) => ({ certificate: pkiFile(name, "crt"), key: pkiFile(name, "key") }),
  kubeconfig: kubeconfigFile,
};

/** Makes what is missing, broken, near its end or for another site's addresses, as etcd's are made. The names of those made. */
export async function ensureKubernetes(
  site: KubernetesSite,
  machine: Machine,
  now: Date,
  where: Places = places,
): Promise<readonly string[]> {
  const signers: Readonly<Record<Signer, Identity>> = {
    ca: await readAuthority(where.authority("ca"), kinds.ca),
    "front-proxy-ca": await readAuthority(where.authority("front-proxy-ca"), kinds["front-proxy-ca"]),
    etcd: await readAuthority(where.authority("etcd")),
  };
  const made: string[] = [];
  const leaves = kubernetesLeaves(site, machine);
  for (const name of leafNames) {
    const { by, ...leaf } = leaves[name];
    if (await ensureLeaf(signers[by], leaf, where.leaf(name), now)) made.push(name);
  }
  const users = kubernetesUsers(machine);
  for (const name of kubeconfigNames) {
    const given = { site, authority: signers.ca, user: users[name], path: where.kubeconfig(name), now };
    if (await ensureKubeconfig(given)) made.push(`${name}.conf`);
  }
  return made;
}

async function ensureKubeconfig(given: {
  readonly site: KubernetesSite;
  readonly authority: Identity;
  readonly user: Leaf;
  readonly path: string;
  readonly now: Date;
}): Promise<boolean> {
  const { site, authority, user, path, now } = given;
  const text = await readIfThere(path);
  const found = text === undefined ? undefined : readKubeconfig(text);
  const kept = found !== undefined && isKey(found.key) ? found : undefined;
  const key = kept?.key ?? makeKey();
  const good = kept !== undefined && isGood(kept.certificate, user, key, authority, now);
  const wanted = kubeconfigText({
    cluster: site.name,
    user: user.commonName,
    server: localApi(site),
    authority: authority.certificate,
    certificate: good ? kept.certificate : issue(authority, user, key, years(leaf_years, now)),
    key,
  });
  if (wanted === text) return false;
  await replaceSynced(path, wanted, 0o600);
  return true;
}
