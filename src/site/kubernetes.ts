import type { Family } from "./address.ts";
import type { Kubernetes } from "./site.ts";

/** The container images of a control plane, by the key of the site file. */
export const imageNames = ["apiserver", "controller_manager", "scheduler", "proxy", "dns", "pause"] as const;
export type ImageName = (typeof imageNames)[number];

export const version_default = "1.36.3";
/**
 * Of images and kubelets. Older kubelets refuse to be told how long at most they are to wait before they start an API server again
 * (`crashLoopBackOff`, behind a gate that is on from here).
 */
export const minor_min = 35;

const networks_default: Readonly<Record<Family, { readonly pods: string; readonly services: string }>> = {
  4: { pods: "10.244.0.0/16", services: "10.96.0.0/16" },
  6: { pods: "fd00:10:244::/56", services: "fd00:10:96::/112" },
};

/** The smallest and the largest that they can be, and what of the pods' network one machine gets. */
export const network_bounds = {
  4: { machine: 24, pods: { min: 8, max: 23 }, services: { min: 12, max: 24 } },
  6: { machine: 64, pods: { min: 8, max: 63 }, services: { min: 108, max: 120 } },
} as const;

export const networksDefault = (family: Family): { readonly pods: string; readonly services: string } =>
  networks_default[family];

/** The public names. CoreDNS and pause are those that kubeadm 1.36 takes. */
export const imagesDefault = (version: string): Kubernetes["images"] => ({
  apiserver: `registry.k8s.io/kube-apiserver:v${version}`,
  controller_manager: `registry.k8s.io/kube-controller-manager:v${version}`,
  scheduler: `registry.k8s.io/kube-scheduler:v${version}`,
  proxy: `registry.k8s.io/kube-proxy:v${version}`,
  dns: "registry.k8s.io/coredns/coredns:v1.14.2",
  pause: "registry.k8s.io/pause:3.10.2",
});
