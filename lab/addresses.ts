import { BlockList, isIPv6 } from "node:net";
import { type Problem } from "../src/base/problem.ts";
import type { Site } from "../src/site/site.ts";

/** The three wires of a lab. A machine's interfaces carry the same names. */
export type Wire = "link1" | "link2" | "mgmt";

/** An address on a wire, with its prefix as `ip` wants it. */
export interface Plug {
  readonly wire: Wire;
  readonly address: string;
}

export interface Addresses {
  /** Per machine, in the site's order. */
  readonly machines: readonly (readonly Plug[])[];
  readonly bmcs: readonly Plug[];
  readonly seat: readonly Plug[];
  readonly pdu?: Plug;
}

export const wireNames: readonly Wire[] = ["link1", "link2", "mgmt"];
const linkNames = ["link1", "link2"] as const;

/** Hosts that the lab adds to the site's own addresses stand at the far end of each network. */
const seatHost = 254;
const firstMachineHost = 201;

/**
 * Which address is on which wire. The site names the machines' links and the BMCs; the lab adds what a real site's
 * network would have: a management address for each machine, and the operator's.
 */
export function planAddresses(site: Site): { addresses: Addresses; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const taken = new Map<string, Wire>();
  const plug = (wire: Wire, ip: string): Plug => {
    const net = network(ip);
    const other = taken.get(net);
    if (other !== undefined && other !== wire)
      problems.push({
        code: "DUET-E-LAB-NETWORK",
        where: ip,
        what: `the lab has one network per wire, and ${net} is on ${other} already, so it can't be on ${wire} too`,
        fix: "give links and BMCs networks of their own (/24 for IPv4, /64 for IPv6)",
      });
    taken.set(net, wire);
    return { wire, address: withPrefix(ip) };
  };
  const links = site.machines.map((m) =>
    m.addresses.flatMap((ip, i) => {
      const wire = linkNames[i];
      return wire === undefined ? [] : [plug(wire, ip)];
    }),
  );
  const bmcs = site.machines.map((m) => plug("mgmt", hostOf(m.bmc.url)));
  const [pduUrl, ...moreUrls] = new Set(site.machines.flatMap((m) => m.pdus.map(({ url }) => url)));
  for (const url of moreUrls)
    problems.push({
      code: "DUET-E-LAB-NETWORK",
      where: url,
      what: "the lab has one PDU, and this is a second",
      fix: "put all outlets on one address for the lab",
    });
  const mgmt = hostOf(site.machines[0]?.bmc.url ?? "https://203.0.113.1");
  const machines = links.map((own, i) => [...own, plug("mgmt", neighbour(mgmt, firstMachineHost + i))]);
  const seat = [
    ...(site.machines[0]?.addresses ?? []).flatMap((ip, i) => {
      const wire = linkNames[i];
      return wire === undefined ? [] : [plug(wire, neighbour(ip, seatHost))];
    }),
    plug("mgmt", neighbour(mgmt, seatHost)),
  ];
  const pdu = pduUrl === undefined ? {} : { pdu: plug("mgmt", hostOf(pduUrl)) };
  const all = [...machines.flat(), ...bmcs, ...seat, ...(pdu.pdu === undefined ? [] : [pdu.pdu])];
  const twice = all.find((p, i) => all.findIndex((q) => q.address === p.address) !== i);
  if (twice !== undefined)
    problems.push({
      code: "DUET-E-LAB-NETWORK",
      where: twice.address,
      what: "the lab needs this address for a machine's management port or the operator's seat",
      fix: `use host numbers below ${firstMachineHost} in the site file`,
    });
  return { addresses: { machines, bmcs, seat, ...pdu }, problems };
}

/** The host in a BMC's URL, without the brackets of IPv6. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}

export function portOf(url: string): number {
  return Number(new URL(url).port || "443");
}

function withPrefix(ip: string): string {
  return isIPv6(ip) ? `${ip}/64` : `${ip}/24`;
}

/** The network as text, for comparing: the same for every spelling of an IPv6 address. */
function network(ip: string): string {
  return isIPv6(ip)
    ? `${expand(ip).slice(0, 4).join(":")}::/64`
    : `${ip.split(".").slice(0, 3).join(".")}.0/24`;
}

/** Another host in the network of `ip`. */
function neighbour(ip: string, host: number): string {
  if (isIPv6(ip)) return `${expand(ip).slice(0, 4).join(":")}::${host.toString(16)}`;
  return `${ip.split(".").slice(0, 3).join(".")}.${host}`;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function expand(ip: string): readonly string[] {
  const [head = "", tail] = ip.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: zeros }, () => "0"), ...right].map((g) =>
    Number.parseInt(g, 16).toString(16),
  );
}

/** Where every address of a lab must come from, unless the user brought a site file with others. */
export function isDocumentation(ip: string): boolean {
  const list = new BlockList();
  list.addSubnet("192.0.2.0", 24);
  list.addSubnet("198.51.100.0", 24);
  list.addSubnet("203.0.113.0", 24);
  list.addSubnet("2001:db8::", 32, "ipv6");
  return list.check(ip, isIPv6(ip) ? "ipv6" : "ipv4");
}
