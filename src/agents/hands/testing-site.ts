import { readSite } from "../../site/read.ts";
import type { Endpoint, Site } from "../../site/site.ts";

/** Where the BMCs of a test's two machines are, and their PDU. */
export interface Places {
  readonly node1: string;
  readonly node2: string;
  /** Of the one outlet of each machine, or of each of several. */
  readonly pdu?: string | readonly string[];
}

const outletPath = (name: string): string => `/redfish/v1/PowerEquipment/RackPDUs/1/Outlets/${name}`;

/** For tests: the site file of two machines. Credentials and the certificate are files beside it. */
export function siteText({ node1, node2, pdu }: Places): string {
  const files = "credentials: { file: bmc.credentials }, trust: { ca: ca.crt }";
  const machine = (name: string, bmc: string, number: number) => [
    `  - name: ${name}`,
    `    addresses: [192.0.2.1${number}]`,
    `    bmc: { address: "${bmc}", ${files} }`,
    ...outlets(name),
  ];
  const outlet = (url: string, name: string) =>
    `{ address: "${url}", outlet: ${outletPath(name)}, ${files} }`;
  const outlets = (name: string) => {
    if (pdu === undefined) return [];
    if (typeof pdu === "string") return [`    pdu: ${outlet(pdu, name)}`];
    return ["    pdu:", ...pdu.map((url, index) => `      - ${outlet(url, `${name}-${index + 1}`)}`)];
  };
  return [
    "name: shop-0042",
    "topology: dual-replica",
    "ssh_key: admin.pub",
    "timeouts: { bmc_call: 1s, fence: 10s }",
    "machines:",
    ...machine("node1", node1, 1),
    ...machine("node2", node2, 2),
    "",
  ].join("\n");
}

const stand_in_pdu = "203.0.113.3";

/** The same, read. On a test's box every service has the same address, which no site file may have: it is put in afterwards. */
export function twoMachines({ node1, node2, pdu }: Places): Site {
  const stand_in = {
    node1: "203.0.113.1",
    node2: "203.0.113.2",
    ...(pdu === undefined
      ? {}
      : { pdu: typeof pdu === "string" ? stand_in_pdu : pdu.map(() => stand_in_pdu) }),
  };
  const { site, problems } = readSite(siteText(stand_in), "site.yaml");
  if (site === undefined) throw new Error(JSON.stringify(problems));
  const at = <T extends Endpoint>(endpoint: T, url: string): T => ({ ...endpoint, url });
  return {
    ...site,
    machines: site.machines.map((m) => ({
      ...m,
      bmc: at(m.bmc, m.name === "node1" ? node1 : node2),
      pdus: m.pdus.map((each, index) => at(each, [pdu ?? []].flat()[index] ?? each.url)),
    })),
  };
}
