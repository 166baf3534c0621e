import { createHash } from "node:crypto";
import { isIPv6 } from "node:net";
import type { Site, Timeouts } from "../site/site.ts";
import { corosyncPolicy as policy } from "./policy.ts";

/** A lost peer is seen after both of these. */
export function detectionOf({ timeouts: { token_ms } }: { readonly timeouts: Pick<Timeouts, "token_ms"> }): {
  readonly token_ms: number;
  readonly consensus_ms: number;
} {
  const share_ms = Math.round(token_ms * policy.consensus_of_token.value);
  return { token_ms, consensus_ms: Math.max(policy.consensus_ms_min.value, share_ms) };
}

/** A machine's number in Corosync's list. */
export const nodeIdOf = (site: Pick<Site, "machines">, machine: string): number =>
  1 + orderedMachines(site).findIndex(({ name }) => name === machine);

/** /etc/corosync/corosync.conf, the same on both machines. `corosync -t` is its judge. */
export function corosyncConf(site: Site): string {
  const { token_ms: token, consensus_ms: consensus } = detectionOf(site);
  const nodes = orderedMachines(site).map((m, i) =>
    section(1, "node", [
      ["name", m.name],
      ["nodeid", i + 1],
      ...m.addresses.map((address, link): Setting => [`ring${link}_addr`, address]),
    ]),
  );
  const links = (site.machines[0]?.addresses ?? []).map((_, link) =>
    section(1, "interface", [
      ["linknumber", link],
      ["knet_ping_interval", policy.knet_ping_interval_ms.value],
      ["knet_ping_timeout", policy.knet_ping_timeout_ms.value],
    ]),
  );
  return [
    "# Written by duet; `duet render` makes it from the site file.",
    section(
      0,
      "totem",
      [
        ["version", 2],
        ["cluster_name", clusterName(site)],
        ["transport", "knet"],
        ["ip_version", site.machines.some((m) => m.addresses.some(isIPv6)) ? "ipv6-4" : "ipv4-6"],
        ["link_mode", policy.link_mode.value],
        ["token", token],
        ["consensus", consensus],
        ["crypto_cipher", policy.crypto_cipher.value],
        ["crypto_hash", policy.crypto_hash.value],
      ],
      links,
    ),
    section(0, "nodelist", [], nodes),
    section(0, "quorum", [
      ["provider", "corosync_votequorum"],
      ["two_node", policy.two_node.value === "yes" ? 1 : 0],
      ["wait_for_all", policy.wait_for_all.value === "yes" ? 1 : 0],
    ]),
    section(0, "logging", [
      ["to_logfile", "no"],
      ["to_stderr", "no"],
      ["to_syslog", "yes"],
      ["timestamp", "hires"],
    ]),
    "",
  ].join("\n");
}

/** Sorted by name: node ids are the same whatever the order in the file. */
export function orderedMachines(site: Pick<Site, "machines">): Site["machines"] {
  return site.machines.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Corosync takes 15 characters: the start of the site's name, and enough of a hash to keep two sites apart. */
export function clusterName(site: Site): string {
  if (site.name.length <= 15) return site.name;
  const hash = createHash("sha256").update(site.name).digest("hex").slice(0, 6);
  return `${site.name.slice(0, 8)}-${hash}`;
}

type Setting = readonly [name: string, value: string | number];

function section(
  depth: number,
  name: string,
  settings: readonly Setting[],
  inner: readonly string[] = [],
): string {
  const indent = "  ".repeat(depth);
  return [
    `${indent}${name} {`,
    ...settings.map(([key, value]) => `${indent}  ${key}: ${value}`),
    ...inner,
    `${indent}}`,
  ].join("\n");
}
