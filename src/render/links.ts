import { isIPv6 } from "node:net";
import type { Machine, Site } from "../site/site.ts";
import { orderedMachines } from "./corosync.ts";
import type { IgnitionUnit, MachineFile } from "./ignition.ts";
import { podDetour } from "./kubernetes/network.ts";

const script = "/usr/local/libexec/duet-links";
/** Of the routing table, and of the rules that lead to it. */
const table = 2380;

/**
 * Where one of two links is dead, TCP to the peer's address on that link goes by the other link. etcd's members hold connections
 * for as long as they live, and give up one that went silent only after 5 s, without a leader for all that time: see
 * docs/decisions/links.md. Only TCP: Corosync's own packets must find a link dead that is dead, and alive again when it is.
 */
export function linkFiles(site: Site, machine: Machine): readonly MachineFile[] {
  const [one, other, ...more] = theirsOf(site, machine).addresses;
  if (one === undefined || other === undefined || more.length > 0) return [];
  return [{ path: script, mode: 0o755, content: detours(site, machine, [one, other]) }];
}

export function linkUnits(site: Site, machine: Machine): readonly IgnitionUnit[] {
  return linkFiles(site, machine).length === 0 ? [] : [unit];
}

const theirsOf = (site: Site, machine: Machine): Machine =>
  site.machines.find(({ name }) => name !== machine.name) ?? machine;

/** What the script leaves in the kernel when it has ended: the rules, and where a link is dead a detour. */
export function linkTraces(site: Site, machine: Machine): readonly (readonly [string, ...string[]])[] {
  if (linkFiles(site, machine).length === 0) return [];
  return theirsOf(site, machine).addresses.flatMap((to) => {
    const family = isIPv6(to) ? "-6" : "-4";
    return [
      ["ip", family, "rule", "del", "to", to, "ipproto", "tcp", "table", String(table)],
      ["ip", family, "route", "flush", "table", String(table)],
    ] as const;
  });
}

const unit: IgnitionUnit = {
  name: "duet-links.service",
  enabled: true,
  contents: `[Unit]
Description=duet: lead connections around a dead link
# It listens to Corosync, and begins anew with it.
After=corosync.service
PartOf=corosync.service
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${script}
RuntimeDirectory=duet-links
Restart=always
RestartSec=2s
TimeoutStopSec=1s

[Install]
WantedBy=corosync.service
`,
};

function detours(site: Site, machine: Machine, [one, other]: readonly [string, string]): string {
  const peerId = 1 + orderedMachines(site).findIndex(({ name }) => name !== machine.name);
  const [own1 = "", own2 = ""] = machine.addresses;
  const key = (link: number) => `stats.knet.node${peerId}.link${link}.connected`;
  const ip = (address: string) => (isIPv6(address) ? "ip -6" : "ip -4");
  /** An address of the other family can't be a next hop here. */
  const family = isIPv6(one) === isIPv6(other);
  const lead = (link: number, to: string, by: string, from: string) =>
    family ? `lead "${ip(to)}" "$link${link}" "$link${1 - link}" ${to} ${by} ${from}` : ":";
  const rule = (to: string) =>
    `${ip(to)} rule del to ${to} ipproto tcp table ${table} 2>/dev/null
${ip(to)} rule add to ${to} ipproto tcp table ${table} priority ${table}`;
  const pods = podsPart(podDetour(site, machine), ip(one));
  return `#!/bin/sh
# Written by duet; \`duet render\` makes it from the site file.
# Where one of the two links is dead, TCP to the peer's address on that link goes by the other one.

# lead IP MINE OTHER TO BY FROM: a detour to TO by BY, where this link is dead and the other one is not.
lead() {
  if [ "$2" = 0 ] && [ "$3" = 1 ]; then
    $1 route replace "$4" via "$5" src "$6" table ${table} && echo "this link is dead: connections to $4 go by $5"
  elif $1 route del "$4" table ${table} 2>/dev/null; then
    echo "connections to $4 go by their own link again"
  fi
}
${pods.define}
look() {
  link0=$(corosync-cmapctl -q -m stats -g ${key(0)} | sed 's/.* = //')
  link1=$(corosync-cmapctl -q -m stats -g ${key(1)} | sed 's/.* = //')
  ${lead(0, one, other, own1)}
  ${lead(1, other, one, own2)}${pods.call}
}

${rule(one)}
${rule(other)}
look
# An input that says nothing and never ends: who follows changes also reads what a person types.
pipe=$RUNTIME_DIRECTORY/silence
rm -f "$pipe"
mkfifo "$pipe"
exec 3<>"$pipe"
# This ends with Corosync, and systemd begins it anew.
stdbuf -oL corosync-cmapctl -m stats -t ${key(0)} ${key(1)} <&3 | while read -r line; do
  case $line in *connected*) look ;; esac
done
exit 1
`;
}

/** The peer's pods, where the site has any: all that goes to them, not TCP alone. */
function podsPart(
  detour: readonly string[] | undefined,
  ip: string,
): { readonly define: string; readonly call: string } {
  if (detour === undefined) return { define: "", call: "" };
  const route = detour.join(" ");
  return {
    define: `
# The peer's pods by the second link, where the first one is dead and the second is not.
pods() {
  if [ "$link0" = 0 ] && [ "$link1" = 1 ]; then
    ${ip} route replace ${route} && echo "the first link is dead: the peer's pods are reached by the second"
  elif ${ip} route del ${route} 2>/dev/null; then
    echo "the peer's pods are reached by the first link again"
  fi
}
`,
    call: "\n  pods",
  };
}
