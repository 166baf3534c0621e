import { stringify } from "yaml";
import { etcdPorts } from "../../base/paths.ts";
import type { Machine } from "../../site/site.ts";
import { localUrl } from "../etcd.ts";
import type { MachineFile } from "../ignition.ts";
import { electionPolicy } from "../policy.ts";
import {
  apiPort,
  clusterDomain,
  everywhere,
  kubeconfigFile,
  kubernetesPaths,
  type KubernetesSite,
  loopback,
  pkiFile,
} from "./names.ts";
import { healthProbes, type Mount, staticPod } from "./pod.ts";

/** All of it, for the API server: its own certificates are renewed in there while it runs. */
const pki: Mount = { path: kubernetesPaths.pki, type: "Directory" };
const file = (path: string): Mount => ({ path, type: "File" });
const flags = (given: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(given).map(([name, value]) => `--${name}=${value}`);
/**
 * Those of the machine's files that arguments name, and nothing beside them. A file that is replaced is seen by the pod's next container
 * only: for what its program is to take while it runs, a folder has to be mounted.
 */
const filesIn = (given: Readonly<Record<string, string>>): readonly Mount[] =>
  [...new Set(Object.values(given).filter((value) => value.startsWith("/")))].map(file);

/**
 * Whoever works for both machines says so again each two seconds, and ends when it could not for so long. With Kubernetes' own 10 s that
 * is in the middle of a failover: then the one on the survivor ends, is started again, and waits for the lease that it had itself, 15 s
 * from its first look. So it may wait for longer than a failover takes. Not as long as it likes: who stands still for 40 s believes the
 * machines to be lost by then (`--node-monitor-grace-period` is 50 s, and a kubelet tells of itself each 10 s), and has to begin anew.
 * What is longer for it is no longer for a lease of a dead machine: duet frees it (src/agents/api/inherit.ts).
 */
const election = {
  "leader-elect": "true",
  "leader-elect-renew-deadline": `${electionPolicy.renew_s.value}s`,
  "leader-elect-lease-duration": `${electionPolicy.lease_s.value}s`,
} as const;

export const controlPlanePods = (site: KubernetesSite, machine: Machine): readonly MachineFile[] => [
  apiserver(site, machine),
  controllerManager(site),
  scheduler(site),
  proxy(site),
];

/**
 * It speaks to its own machine's etcd alone: to the other's it would only find what this one has too, and wait for it when that machine
 * is lost. Without etcd it is not ready, and still alive: to start it again in the middle of a failover would cost seconds and mend
 * nothing.
 *
 * `--request-timeout` stays at its 60 s. Without a leader etcd itself gives up what it was asked after 7 s, and is asked again: for a
 * write until the 34 s are over that the API server gives a change, for a read until the request's time is. So one that begins in a
 * failover is answered late; with a shorter time it would be refused. Who can't wait says so with the call (`?timeout=`); and a connection to a machine that is lost is not
 * ended by it at all.
 */
function apiserver(site: KubernetesSite, machine: Machine): MachineFile {
  const { images, services } = site.kubernetes;
  return staticPod({
    name: "kube-apiserver",
    image: images.apiserver,
    command: [
      "kube-apiserver",
      ...flags({
        "advertise-address": machine.addresses[0] ?? "",
        "bind-address": everywhere(site),
        "secure-port": String(apiPort),
        "etcd-servers": localUrl(site, etcdPorts.client),
        "etcd-cafile": pkiFile("etcd-ca", "crt"),
        "etcd-certfile": pkiFile("apiserver-etcd-client", "crt"),
        "etcd-keyfile": pkiFile("apiserver-etcd-client", "key"),
        "client-ca-file": pkiFile("ca", "crt"),
        "tls-cert-file": pkiFile("apiserver", "crt"),
        "tls-private-key-file": pkiFile("apiserver", "key"),
        "authentication-config": kubernetesPaths.authentication,
        "authorization-mode": "Node,RBAC",
        "enable-admission-plugins": "NodeRestriction",
        "allow-privileged": "true",
        "kubelet-certificate-authority": pkiFile("ca", "crt"),
        "kubelet-client-certificate": pkiFile("apiserver-kubelet-client", "crt"),
        "kubelet-client-key": pkiFile("apiserver-kubelet-client", "key"),
        "kubelet-preferred-address-types": "InternalIP",
        "proxy-client-cert-file": pkiFile("front-proxy-client", "crt"),
        "proxy-client-key-file": pkiFile("front-proxy-client", "key"),
        "requestheader-client-ca-file": pkiFile("front-proxy-ca", "crt"),
        "requestheader-allowed-names": "front-proxy-client",
        "requestheader-username-headers": "X-Remote-User",
        "requestheader-group-headers": "X-Remote-Group",
        "requestheader-extra-headers-prefix": "X-Remote-Extra-",
        "service-account-issuer": `https://kubernetes.default.svc.${clusterDomain}`,
        "service-account-key-file": pkiFile("sa", "pub"),
        "service-account-signing-key-file": pkiFile("sa", "key"),
        "service-cluster-ip-range": services,
        profiling: "false",
        // What it was asked is answered, and what comes then is sent elsewhere. Else it waits 60 s for the end of each open watch.
        "shutdown-send-retry-after": "true",
      }),
    ],
    mounts: [pki, { path: kubernetesPaths.apiserver, type: "Directory" }],
    probes: healthProbes({
      host: loopback(site),
      port: apiPort,
      live: "/livez?exclude=etcd",
      ready: "/readyz",
    }),
    requests: { cpu: "250m", memory: "256Mi" },
  });
}

/** Of strangers only those who ask whether it lives are let in: the kubelet's probes have no certificate. */
export const authenticationFile: MachineFile = {
  path: kubernetesPaths.authentication,
  mode: 0o644,
  content: stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthenticationConfiguration",
    anonymous: {
      enabled: true,
      conditions: [{ path: "/livez" }, { path: "/readyz" }, { path: "/healthz" }],
    },
  }),
};

/**
 * Both machines have one; who leads is a lease in the API, which duet takes from a machine that is proven off. It signs, and sees the keys for
 * that and no others: they are made once for the site, and nothing renews them.
 */
function controllerManager(site: KubernetesSite): MachineFile {
  const { images, services } = site.kubernetes;
  const kubeconfig = kubeconfigFile("controller-manager");
  const given = {
    "bind-address": loopback(site),
    kubeconfig,
    "authentication-kubeconfig": kubeconfig,
    "authorization-kubeconfig": kubeconfig,
    "client-ca-file": pkiFile("ca", "crt"),
    "requestheader-client-ca-file": pkiFile("front-proxy-ca", "crt"),
    "cluster-signing-cert-file": pkiFile("ca", "crt"),
    "cluster-signing-key-file": pkiFile("ca", "key"),
    "root-ca-file": pkiFile("ca", "crt"),
    "service-account-private-key-file": pkiFile("sa", "key"),
    "use-service-account-credentials": "true",
    "service-cluster-ip-range": services,
    ...election,
    profiling: "false",
  };
  return staticPod({
    name: "kube-controller-manager",
    image: images.controller_manager,
    command: ["kube-controller-manager", ...flags(given)],
    mounts: filesIn(given),
    probes: healthProbes({ host: loopback(site), port: 10_257, live: "/healthz" }),
    requests: { cpu: "100m", memory: "64Mi" },
  });
}

function scheduler(site: KubernetesSite): MachineFile {
  const kubeconfig = kubeconfigFile("scheduler");
  const given = {
    "bind-address": loopback(site),
    kubeconfig,
    "authentication-kubeconfig": kubeconfig,
    "authorization-kubeconfig": kubeconfig,
    ...election,
    profiling: "false",
  };
  return staticPod({
    name: "kube-scheduler",
    image: site.kubernetes.images.scheduler,
    command: ["kube-scheduler", ...flags(given)],
    mounts: filesIn(given),
    probes: healthProbes({ host: loopback(site), port: 10_259, live: "/healthz" }),
    requests: { cpu: "50m", memory: "64Mi" },
  });
}

/** A static pod and no DaemonSet: a machine that has started alone needs nobody to place it. */
function proxy(site: KubernetesSite): MachineFile {
  return staticPod({
    name: "kube-proxy",
    image: site.kubernetes.images.proxy,
    command: ["kube-proxy", ...flags({ config: kubernetesPaths.proxy })],
    mounts: [
      file(kubernetesPaths.proxy),
      file(kubeconfigFile("proxy")),
      // For iptables, where the kernel has no nftables that it can use.
      { path: "/run/xtables.lock", type: "FileOrCreate", writable: true },
    ],
    probes: {},
    requests: { cpu: "50m", memory: "64Mi" },
    privileged: true,
  });
}

export type ProxyMode = "nftables" | "iptables";

/** Rendered for nftables; setup writes it anew on a machine whose kernel has none that kube-proxy can use. */
export function proxyFile(site: KubernetesSite, machine: Machine, mode: ProxyMode = "nftables"): MachineFile {
  const host = loopback(site);
  return {
    path: kubernetesPaths.proxy,
    mode: 0o644,
    content: stringify({
      apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
      kind: "KubeProxyConfiguration",
      mode,
      hostnameOverride: machine.name,
      bindAddress: everywhere(site),
      clusterCIDR: site.kubernetes.pods,
      clientConnection: { kubeconfig: kubeconfigFile("proxy") },
      metricsBindAddress: host === "::1" ? "[::1]:10249" : "127.0.0.1:10249",
      healthzBindAddress: host === "::1" ? "[::]:10256" : "0.0.0.0:10256",
      // The machine's own limits stay as somebody has set them.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    }),
  };
}
