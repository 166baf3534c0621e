/** Site files for tests. */

export const minimal = `name: shop-0042
topology: dual-replica
ssh_key: admin.pub
machines:
  - name: node1
    addresses: [192.0.2.11, 198.51.100.11]
    bmc:
      address: https://203.0.113.11
      credentials: { file: node1.bmc }
  - name: node2
    addresses: [192.0.2.12, 198.51.100.12]
    bmc:
      address: https://203.0.113.12
      credentials: { env: NODE2_BMC }
`;

export const everything = `name: ship-7
topology: dual-replica
ssh_key: [admin.pub, /etc/duet/second.pub]
machines:
  - name: bow
    addresses: ["2001:db8:0::11", 198.51.100.11]
    bmc:
      address: "[2001:db8:2::11]:8443"
      credentials: { file: secrets/bow.bmc }
      trust: { fingerprint: "AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89:AB:CD:EF:01:23:45:67:89" }
      system: /redfish/v1/Systems/1
    pdu:
      address: pdu.example
      outlet: /redfish/v1/PowerEquipment/RackPDUs/1/Outlets/A1
      credentials: { file: pdu.login }
      trust: { ca: site-ca.pem }
  - name: stern
    addresses: ["2001:DB8::12", 198.51.100.12]
    bmc:
      address: bmc-stern.example
      credentials: { env: STERN_BMC }
      trust: { nothing: true }
    pdu:
      - address: pdu.example
        outlet: /redfish/v1/PowerEquipment/RackPDUs/1/Outlets/A2
        credentials: { file: pdu.login }
      - address: pdu-b.example
        outlet: /redfish/v1/PowerEquipment/RackPDUs/1/Outlets/A2
        credentials: { file: pdu.login }
api: { address: "2001:db8::10" }
fencing: { agent: fence_duet, preferred: leader, stop_failure: fence, test: setup }
witness: off
timeouts: { token: 2s, bmc_call: 1500ms, fence: 2m }
alerts:
  - webhook:
      url: https://alerts.example/duet
      headers: secrets/hook.headers
      trust: { ca: hook-ca.pem }
  - webhook: { url_file: secrets/chat.url }
  - mail: { to: [ops@example.org, night@example.org], from: duet@example.org }
  - syslog: { facility: local0 }
`;

/** With a control plane that duet makes, on a site of its own words. */
export const controlPlane = `${minimal}api: { address: 192.0.2.10 }
kubernetes:
  version: 1.36.3
  pods: 198.18.0.0/16
  services: 198.19.0.0/16
  names: [api.shop.example]
  images:
    apiserver: registry.example:5000/kube/apiserver:v1.36.3
    pause: registry.example:5000/pause@sha256:${"0123456789abcdef".repeat(4)}
`;

/** The file with line `number` (from 1) replaced, or dropped. */
export function withLine(text: string, number: number, line?: string): string {
  return text
    .split("\n")
    .flatMap((each, index) => (index !== number - 1 ? [each] : line === undefined ? [] : [line]))
    .join("\n");
}
