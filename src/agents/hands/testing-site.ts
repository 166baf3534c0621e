import { readSite } from "../../site/read.ts";
import type { Endpoint, Site } from "../../site/site.ts";

/** Where the BMCs of a test's two machines are, and their PDU. */
export interface Places {
  readonly node1: string;
  readonly node2: string;
  readonly pdu?: string;
}

/** For tests: the site file of two machines. Credentials and the certificate are files beside it. */
export function siteText({ node1, node2, pdu }: Places): string {
  const files = "credentials: { file: bmc.credentials }, trust: { ca: ca.crt }";
  const machine = (name: string, bmc: string, number: number) => [
    `  - name: ${name}`,
    `    addresses: [192.0.2.1${number}]`,
    `    bmc: { address: "${bmc}", ${files} }`,
    ...(pdu === undefined
      ? []
      : [
          `    pdu: { address: "${pdu}", outlet: /redfish/v1/PowerEquipment/RackPDUs/1/Outlets/${name}, ${files} }`,
        ]),
  ];
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

/** The same, read. On a test's box every service has the same address, which no site file may have: it is put in afterwards. */
export function twoMachines({ node1, node2, pdu }: Places): Site {
  const stand_in = {
    node1: "203.0.113.1",
    node2: "203.0.113.2",
    ...(pdu === undefined ? {} : { pdu: "203.0.113.3" }),
  };
  const { site, problems } = readSite(siteText(stand_in), "site.yaml");
  if (site === undefined) throw new Error(JSON.stringify(problems));
  const at = <T extends Endpoint>(endpoint: T, url: string): T => ({ ...endpoint, url });
  return {
    ...site,
    machines: site.machines.map((m) => ({
      ...m,
      bmc: at(m.bmc, m.name === "node1" ? node1 : node2),
      ...(m.pdu === undefined || pdu === undefined ? {} : { pdu: at(m.pdu, pdu) }),
    })),
  };
}
