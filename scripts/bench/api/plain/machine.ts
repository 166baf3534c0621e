import { paths } from "../../../../src/base/paths.ts";
import { etcdEnvironment, initialCluster, peerUrls } from "../../../../src/render/etcd.ts";
import {
  type Ignition,
  ignition,
  type IgnitionUnit,
  type MachineFile,
} from "../../../../src/render/ignition.ts";
import { kubeletUnits, ownUnits } from "../../../../src/render/kubernetes/kubelet.ts";
import type { KubernetesSite } from "../../../../src/render/kubernetes/names.ts";
import type { Machine } from "../../../../src/site/site.ts";
import { podNetworkFile, podNetworkUnit } from "./pods.ts";

/**
 * A plain machine: the lab's, with the control plane, the settings and the programs of one of duet's, and nobody who fences, takes over or leaves.
 * systemd starts etcd, CRI-O and the kubelet at boot, and leads the pods' network. Of these one is a cluster alone, and three are what Kubernetes expects.
 */

const first_host = 10;

/** So many machines, in the way of the lab's own two. */
export function plainSite(site: KubernetesSite, count: number): KubernetesSite {
  const [model] = site.machines;
  if (model === undefined) throw new Error("bug: a site without machines");
  const nth = (text: string, number: number): string => text.replace(/\d+(\]?)$/, `${first_host + number}$1`);
  const machines = Array.from({ length: count }, (_, index): Machine => {
    const number = index + 1;
    return {
      ...model,
      name: `node${number}`,
      addresses: model.addresses.map((address) => nth(address, number)),
      bmc: { ...model.bmc, url: nth(model.bmc.url, number) },
    };
  });
  return { ...site, machines };
}

const startFile = "/etc/duet/etcd-first.env";

/** All members at once; with data that is there etcd passes over both. */
const firstStart = ({ machines }: KubernetesSite): string =>
  [
    `ETCD_INITIAL_CLUSTER=${initialCluster(machines.map((m) => ({ name: m.name, peerUrls: peerUrls(m) })))}`,
    "ETCD_INITIAL_CLUSTER_STATE=new",
    "",
  ].join("\n");

/** Its place in the queue of the disk is that of duet's: a sync is what a write waits for. */
const etcd = `[Unit]
Description=etcd
Wants=network-online.target
After=network-online.target

[Service]
Type=notify
TimeoutStartSec=infinity
EnvironmentFile=${paths.etcdEnvironment}
EnvironmentFile=${startFile}
ExecStart=/usr/bin/etcd
Restart=always
RestartSec=1s
LimitNOFILE=65536
IOSchedulingClass=best-effort
IOSchedulingPriority=0
StateDirectory=duet/etcd
StateDirectoryMode=0700
UMask=0077
`;

const atBoot = "\n[Install]\nWantedBy=multi-user.target\n";
/** On duet's machines Pacemaker does that. */
const again = { name: "30-plain.conf", contents: "[Service]\nRestart=always\nRestartSec=1s\n" };

const units = (machine: Machine): readonly IgnitionUnit[] => [
  podNetworkUnit,
  { name: "etcd.service", enabled: true, contents: `${etcd}${atBoot}` },
  { name: "crio.service", enabled: true, contents: `${ownUnits.crio}${atBoot}`, dropins: [again] },
  ...kubeletUnits(machine).map((unit) => ({
    ...unit,
    enabled: true,
    contents: `${ownUnits.kubelet}${atBoot}`,
    dropins: [...(unit.dropins ?? []), again],
  })),
];

/** `keys`: its certificates, and what of Kubernetes goes with them. */
export function plainIgnition(
  site: KubernetesSite,
  machine: Machine,
  keys: readonly MachineFile[],
): Ignition {
  const text = (path: string, content: string): MachineFile => ({ path, mode: 0o644, content });
  const names = site.machines.map(({ name, addresses }) => `${addresses[0] ?? ""} ${name}`);
  return ignition(
    [
      text("/etc/hostname", `${machine.name}\n`),
      text("/etc/hosts", ["127.0.0.1 localhost", "::1 localhost", ...names, ""].join("\n")),
      text(paths.etcdEnvironment, etcdEnvironment(site, machine)),
      text(startFile, firstStart(site)),
      podNetworkFile(site, machine),
      ...keys,
    ],
    units(machine),
  );
}
