import type { IgnitionUnit, MachineFile } from "../../../../src/render/ignition.ts";
import { isSix, type KubernetesSite, podsOf } from "../../../../src/render/kubernetes/names.ts";
import { podsTable } from "../../../../src/render/kubernetes/network.ts";
import type { Machine } from "../../../../src/site/site.ts";

const script = "/usr/local/libexec/plain-pods";
const table = "plain-pods";

/** Which pods are behind which machine, by its first link. */
const ways = (site: KubernetesSite, machine: Machine): readonly string[] =>
  site.machines
    .filter(({ name }) => name !== machine.name)
    .map((other) => `${podsOf(site, other)} via ${other.addresses[0] ?? ""}`);

/**
 * What duet-pod-routes.service does for two, for as many as there are: each machine knows the way to the others' pods, and to who is no
 * pod they look like their machine. Without it CoreDNS would reach no other API server than that of its own machine.
 */
export function podNetworkFile(site: KubernetesSite, machine: Machine): MachineFile {
  const six = isSix(site);
  const { pods } = site.kubernetes;
  const nft = six ? "ip6" : "ip";
  return {
    path: script,
    mode: 0o755,
    content: `#!/bin/sh
set -eu
sysctl -qw ${six ? "net.ipv6.conf.all.forwarding=1" : "net.ipv4.ip_forward=1"}
nft -f - << 'END'
${podsTable(nft, table, pods)}
END
${ways(site, machine)
  .map((way) => `ip ${six ? "-6" : "-4"} route replace ${way}\n`)
  .join("")}`,
  };
}

/** Until it has worked once: the first link may be up a moment later than another one. */
export const podNetworkUnit: IgnitionUnit = {
  name: "plain-pods.service",
  enabled: true,
  contents: `[Unit]
Description=The way to other machines' pods
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${script}
Restart=on-failure
RestartSec=1s

[Install]
WantedBy=multi-user.target
`,
};
