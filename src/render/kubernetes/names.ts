import { isIPv6 } from "node:net";
import { orderedMachines } from "../corosync.ts";
import { canonicalAddress } from "../../site/address.ts";
import { network_bounds } from "../../site/kubernetes.ts";
import { networkText, nthAddress, parseNetwork, part } from "../../site/network.ts";
import type { Kubernetes, Machine, Site } from "../../site/site.ts";

/** A site that has a control plane of duet's. */
export type KubernetesSite = Site & { readonly kubernetes: Kubernetes };
export const hasKubernetes = (site: Site): site is KubernetesSite => site.kubernetes !== undefined;

/** Where a machine has what of its control plane. */
export const kubernetesPaths = {
  folder: "/etc/kubernetes",
  /** Static pods. */
  manifests: "/etc/kubernetes/manifests",
  /** Certificates and keys; those of who has a kubeconfig are in there. */
  pki: "/etc/kubernetes/pki",
  /** Settings of the API server's that are no arguments. */
  apiserver: "/etc/kubernetes/apiserver",
  authentication: "/etc/kubernetes/apiserver/authentication.yaml",
  kubelet: "/etc/kubernetes/kubelet.yaml",
  /** What a machine says otherwise: `*.conf`, each a part of a KubeletConfiguration. */
  kubeletMore: "/etc/kubernetes/kubelet.d",
  proxy: "/etc/kubernetes/proxy.yaml",
  /** Sorts before podman's: the first is taken by who asks for none. */
  cni: "/etc/cni/net.d/10-duet.conflist",
  crio: "/etc/crio/crio.conf.d/10-duet.conf",
  /** What the kernel is told at each boot. */
  kernel: "/etc/sysctl.d/10-duet.conf",
  crioSocket: "/var/run/crio/crio.sock",
  /** Units for a machine that has none of its own; setup puts them in place. */
  units: "/etc/duet/kubernetes",
} as const;

/** Who signs: users and servers of the API, and the API server itself before those that extend it. */
export type KubernetesAuthority = "ca" | "front-proxy-ca";
/** Servers, and what the API server shows to others. `front-proxy-client` is of its own authority, `apiserver-etcd-client` of etcd's. */
export const leafNames = [
  "apiserver",
  "apiserver-kubelet-client",
  "apiserver-etcd-client",
  "front-proxy-client",
  "kubelet",
] as const;
export type KubernetesLeaf = (typeof leafNames)[number];

export const pkiFile = (
  name: KubernetesAuthority | KubernetesLeaf | "sa" | "etcd-ca",
  what: "crt" | "key" | "pub",
): string => `${kubernetesPaths.pki}/${name}.${what}`;

/** Who speaks to its own machine's API server, with a kubeconfig that only root reads. */
export const kubeconfigNames = ["kubelet", "controller-manager", "scheduler", "proxy", "duet"] as const;
export type KubeconfigName = (typeof kubeconfigNames)[number];
export const kubeconfigFile = (of: KubeconfigName): string => `${kubernetesPaths.folder}/${of}.conf`;

/** Of those parts that run on both machines, and work on one at a time. */
export const controllerLeases = ["kube-controller-manager", "kube-scheduler"] as const;
export const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
/** Where in etcd an API server says that it lives. Whoever is not there is in no Service `kubernetes`. */
export const serverKey = (address: string): string =>
  `/registry/masterleases/${canonicalAddress(address) ?? address}`;

export const apiPort = 6443;
export const clusterDomain = "cluster.local";

/** People who administer; bound to everything by an object that can be taken away. */
export const adminsGroup = "duet:admins";
/** A machine itself, for what duet does in the API. */
export const machineUser = (name: string): string => `duet:machine:${name}`;

export const apiUrl = (host: string): string => `https://${isIPv6(host) ? `[${host}]` : host}:${apiPort}`;

export const isSix = (site: Pick<Site, "machines">): boolean => isIPv6(site.machines[0]?.addresses[0] ?? "");
export const loopback = (site: Pick<Site, "machines">): "::1" | "127.0.0.1" =>
  isSix(site) ? "::1" : "127.0.0.1";
/** To listen on, for all of the machine's addresses. */
export const everywhere = (site: Pick<Site, "machines">): "::" | "0.0.0.0" =>
  isSix(site) ? "::" : "0.0.0.0";

/** A machine's own API server: nothing on it needs the virtual IP, or the peer. */
export const localApi = (site: Pick<Site, "machines">): string => apiUrl(loopback(site));

/** What people and their programs call: the virtual IP, else the site's own name for it, else the first machine. */
export const publicApi = (site: KubernetesSite): string =>
  apiUrl(site.api?.address ?? site.kubernetes.names[0] ?? site.machines[0]?.addresses[0] ?? "");

export const peerOf = (site: Pick<Site, "machines">, machine: Machine): Machine =>
  site.machines.find(({ name }) => name !== machine.name) ?? machine;

const read = (text: string) => {
  const network = parseNetwork(text);
  if (network === undefined) throw new Error(`bug: ${text} is no network`);
  return network;
};

/** A machine's part of the pods' network: the first in the order of the names has the first. */
export function podsOf(site: KubernetesSite, { name }: Machine): string {
  const all = read(site.kubernetes.pods);
  const index = orderedMachines(site).findIndex((each) => each.name === name);
  return networkText(part(all, network_bounds[all.family].machine, index));
}

export const apiServiceAddress = ({ kubernetes }: KubernetesSite): string =>
  nthAddress(read(kubernetes.services), 1);
export const dnsAddress = ({ kubernetes }: KubernetesSite): string =>
  nthAddress(read(kubernetes.services), 10);
