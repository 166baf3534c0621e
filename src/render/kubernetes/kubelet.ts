import { stringify } from "yaml";
import type { Machine } from "../../site/site.ts";
import type { IgnitionUnit, MachineFile } from "../ignition.ts";
import {
  clusterDomain,
  dnsAddress,
  kubeconfigFile,
  kubernetesPaths,
  type KubernetesSite,
  pkiFile,
} from "./names.ts";

/** The first line of a unit that setup has put where there was none; whoever takes duet off knows it by this. */
export const unitMark = "# Written by duet: this machine had no such unit of its own.";

export const kubeletFile = (site: KubernetesSite): MachineFile => ({
  path: kubernetesPaths.kubelet,
  mode: 0o644,
  content: stringify({
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: pkiFile("ca", "crt") },
    },
    authorization: { mode: "Webhook" },
    clusterDNS: [dnsAddress(site)],
    clusterDomain,
    containerRuntimeEndpoint: `unix://${kubernetesPaths.crioSocket}`,
    // An API server whose etcd was away for long is tried again soon, and not after the five minutes of a crash loop.
    crashLoopBackOff: { maxContainerRestartPeriod: "20s" },
    seccompDefault: true,
    staticPodPath: kubernetesPaths.manifests,
    // Made and renewed by duet, as all others are.
    tlsCertFile: pkiFile("kubelet", "crt"),
    tlsPrivateKeyFile: pkiFile("kubelet", "key"),
  }),
});

const command = ({ name, addresses }: Machine): string =>
  [
    "kubelet",
    `--config=${kubernetesPaths.kubelet}`,
    `--config-dir=${kubernetesPaths.kubeletMore}`,
    `--kubeconfig=${kubeconfigFile("kubelet")}`,
    `--hostname-override=${name}`,
    `--node-ip=${addresses[0] ?? ""}`,
  ].join(" ");

/** After kubeadm's 10-kubeadm.conf. */
const dropIn = "20-duet.conf";

/**
 * A package's unit has systemd start it again. Pacemaker tells systemd not to, of what it has started itself and until it stops it; of
 * one that ran before Pacemaker came, nobody would.
 */
const oneOwner = `# One owner: Pacemaker sees that it has ended, counts it and starts it again.
Restart=no
`;

/** Over the machine's own unit, or the one below: whatever started it before, it is this site's kubelet now. */
export const kubeletUnits = (machine: Machine): readonly IgnitionUnit[] => [
  {
    name: "kubelet.service",
    dropins: [
      {
        name: dropIn,
        contents: `[Service]
ExecStartPre=/bin/mkdir -p ${kubernetesPaths.kubeletMore}
ExecStart=
ExecStart=${command(machine)}
${oneOwner}`,
      },
    ],
  },
];

/** CRI-O's command is its package's. */
export const crioUnits: readonly IgnitionUnit[] = [
  { name: "crio.service", dropins: [{ name: dropIn, contents: `[Service]\n${oneOwner}` }] },
];

/** For a machine without one. Never enabled: Pacemaker starts it, watches it and starts it again. */
export const ownUnits: Readonly<Record<"crio" | "kubelet", string>> = {
  crio: `${unitMark}
[Unit]
Description=CRI-O
After=network.target
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart=crio
# Pods outlive it: a new one finds them as they are.
KillMode=process
Delegate=yes
${oneOwner}OOMScoreAdjust=-999
LimitNOFILE=1048576
LimitNPROC=infinity
TasksMax=infinity
`,
  kubelet: `${unitMark}
[Unit]
Description=kubelet
After=network.target crio.service
StartLimitIntervalSec=0

[Service]
Type=exec
# The whole command is in duet's drop-in.
ExecStart=kubelet --config=${kubernetesPaths.kubelet}
# Pods outlive it: a new one finds them as they are.
KillMode=process
${oneOwner}OOMScoreAdjust=-999
`,
};

export const unitSource = (service: "crio" | "kubelet"): string =>
  `${kubernetesPaths.units}/${service}.service`;

export const ownUnitFiles: readonly MachineFile[] = (["crio", "kubelet"] as const).map((service) => ({
  path: unitSource(service),
  mode: 0o644,
  content: ownUnits[service],
}));

/** What CRI-O is told beyond its own settings: those of the machine's package stay. */
export const crioFile = ({ kubernetes: { images } }: KubernetesSite): MachineFile => ({
  path: kubernetesPaths.crio,
  mode: 0o644,
  content: `# Written by duet; \`duet render\` makes it from the site file.
[crio.image]
pause_image = ${JSON.stringify(images.pause)}
# Never removed to make room: a site may have no registry to get them from again.
pinned_images = ${JSON.stringify([...new Set(Object.values(images))])}

[crio.network]
cni_default_network = "duet"
`,
});
