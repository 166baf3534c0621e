import type { Machine, Site } from "../../site/site.ts";
import { family } from "../../site/address.ts";
import type { IgnitionUnit, MachineFile } from "../ignition.ts";
import { hasKubernetes, isSix, kubernetesPaths, type KubernetesSite, peerOf, podsOf } from "./names.ts";

const script = "/usr/local/libexec/duet-pod-routes";
const table = "duet-pods";
/** Of the first link's route, then of the second's: the lower one is taken while its interface is up. */
const metrics = [100, 200] as const;

/**
 * Each pod has a wire of its own to its machine (ptp), and no bridge: on a bridge two pods of one machine answer each other past the
 * machine's connection tracking, and what a service's address stood for is never put back, unless a kernel module is there for it.
 * Which addresses are taken is forgotten at a reboot, as the pods are.
 */
export const cniFile = (site: KubernetesSite, machine: Machine): MachineFile => ({
  path: kubernetesPaths.cni,
  mode: 0o644,
  content: `${JSON.stringify(
    {
      cniVersion: "1.0.0",
      name: "duet",
      plugins: [
        {
          type: "ptp",
          ipMasq: false,
          ipam: {
            type: "host-local",
            dataDir: "/run/cni/duet",
            ranges: [[{ subnet: podsOf(site, machine) }]],
            routes: [{ dst: isSix(site) ? "::/0" : "0.0.0.0/0" }],
          },
        },
        { type: "portmap", capabilities: { portMappings: true } },
      ],
    },
    null,
    1,
  )}\n`,
});

interface Way {
  readonly by: string;
  readonly metric: number;
}

const waysTo = (site: KubernetesSite, machine: Machine): readonly Way[] =>
  metrics.flatMap((metric, link) => {
    const by = peerOf(site, machine).addresses[link];
    return by !== undefined && family(by) === (isSix(site) ? 6 : 4) ? [{ by, metric }] : [];
  });

/** Of the route that stands before both while the first link is dead and the second is not. */
const detourMetric = 50;

/** The second link to the peer's pods, for who sees a link die that is dead further on than at this machine's own interface. */
export function podDetour(site: Site, machine: Machine): readonly string[] | undefined {
  if (!hasKubernetes(site)) return undefined;
  const [, second] = waysTo(site, machine);
  const theirs = podsOf(site, peerOf(site, machine));
  return second === undefined ? undefined : [theirs, "via", second.by, "metric", String(detourMetric)];
}

export const podRoutesFile = (site: KubernetesSite, machine: Machine): MachineFile => ({
  path: script,
  mode: 0o755,
  content: routes(site, machine),
});

/** What the script leaves in the kernel; and kube-proxy's own tables, which end with the control plane. */
export function podTraces(
  site: KubernetesSite,
  machine: Machine,
): readonly (readonly [string, ...string[]])[] {
  const six = isSix(site);
  const theirs = podsOf(site, peerOf(site, machine));
  const { pods } = site.kubernetes;
  return [
    ...waysTo(site, machine).map(
      ({ metric }) => ["ip", six ? "-6" : "-4", "route", "del", theirs, "metric", String(metric)] as const,
    ),
    ["ip", six ? "-6" : "-4", "route", "del", theirs, "metric", String(detourMetric)],
    ["nft", "delete", "table", six ? "ip6" : "ip", table],
    ["nft", "delete", "table", "ip", "kube-proxy"],
    ["nft", "delete", "table", "ip6", "kube-proxy"],
    [six ? "ip6tables" : "iptables", "-t", "nat", "-D", "POSTROUTING", ...masquerade(pods)],
  ];
}

const masquerade = (pods: string): readonly string[] => ["-s", pods, "!", "-d", pods, "-j", "MASQUERADE"];

export const podRoutesUnit: IgnitionUnit = {
  name: "duet-pod-routes.service",
  enabled: true,
  contents: `[Unit]
Description=duet: the way to the peer's pods
After=network.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${script}
Restart=always
RestartSec=2s
TimeoutStopSec=1s

[Install]
WantedBy=multi-user.target
`,
};

function routes(site: KubernetesSite, machine: Machine): string {
  const six = isSix(site);
  const { pods } = site.kubernetes;
  const theirs = podsOf(site, peerOf(site, machine));
  const nft = six ? "ip6" : "ip";
  const ip = six ? "ip -6" : "ip -4";
  const iptables = `${six ? "ip6tables" : "iptables"} -t nat`;
  return `#!/bin/sh
# Written by duet; \`duet render\` makes it from the site file.
# The peer's pods are reached by the peer's links. Pods are seen as what they are among themselves, and as their machine by others.

sysctl -qw ${six ? "net.ipv6.conf.all.forwarding=1" : "net.ipv4.ip_forward=1"}

if command -v nft > /dev/null; then
  nft -f - << 'END'
${podsTable(nft, table, pods)}
END
else
  ${iptables} -C POSTROUTING ${masquerade(pods).join(" ")} 2> /dev/null ||
    ${iptables} -A POSTROUTING ${masquerade(pods).join(" ")}
fi

# lead BY METRIC: only where it is missing, so that this does not wake itself.
lead() {
  [ -z "$(${ip} route show exact ${theirs} via "$1")" ] || return 0
  ${ip} route replace ${theirs} via "$1" metric "$2" &&
    echo "the pods of ${peerOf(site, machine).name} (${theirs}) are reached by $1"
}

look() {
${waysTo(site, machine)
  .map(({ by, metric }) => `  lead ${by} ${metric}\n`)
  .join("")}}

look
# A link that was down has lost its routes, and who configures the network may take away what it does not know.
${ip} monitor link route | while read -r _; do
  look
done
exit 1
`;
}

/** For `nft -f`: among themselves pods are seen as what they are, by others as their machine. Made anew each time, so it can be repeated. */
export const podsTable = (
  nft: "ip" | "ip6",
  table: string,
  pods: string,
): string => `add table ${nft} ${table}
delete table ${nft} ${table}
table ${nft} ${table} {
  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept;
    ${nft} saddr ${pods} ${nft} daddr != ${pods} masquerade
  }
}`;
