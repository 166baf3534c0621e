import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Plug, wireNames } from "./addresses.ts";
import { allMachines, type Lab, type LabMachine, namespaceFile } from "./folder.ts";
import { hardwareAddress } from "./metal/plugs.ts";
import { inNamespace, ipBatch, makeNamespace } from "./namespace.ts";
import { applyCuts, bmcPort, pduPort, wiresNamespace } from "./wires.ts";

export const seatNamespace = (lab: Pick<Lab, "folder">): string => namespaceFile(lab.folder, "seat");
export const bmcNamespace = (lab: Pick<Lab, "folder">, m: LabMachine): string =>
  namespaceFile(lab.folder, `bmc-${m.number}`);
export const pduNamespace = (lab: Pick<Lab, "folder">): string => namespaceFile(lab.folder, "pdu");

/** The wires, and what is plugged into them whether machines have power or not: BMCs, PDU, the operator's seat. */
export async function layWires(lab: Lab): Promise<void> {
  await mkdir(join(lab.folder, "net"), { recursive: true });
  const wires = wiresNamespace(lab);
  await makeNamespace(wires);
  await ipBatch(
    wires,
    wireNames.flatMap((wire, i) => [
      // A bridge takes the lowest address of its ports unless it has its own, and would change it with each power cut.
      `link add ${wire} address ${hardwareAddress("bridge", 0, i + 1)} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
      `link set ${wire} up`,
    ]),
  );
  for (const m of allMachines(lab)) {
    const plug = lab.addresses.bmcs[m.number - 1];
    if (plug !== undefined)
      await plugDevice(
        lab,
        bmcNamespace(lab, m),
        plug,
        bmcPort(m.number),
        hardwareAddress("bmc", m.number, 3),
      );
  }
  if (lab.addresses.pdu !== undefined)
    await plugDevice(lab, pduNamespace(lab), lab.addresses.pdu, pduPort, hardwareAddress("bmc", 9, 3));
  for (const plug of lab.addresses.seat) {
    const number = wireNames.indexOf(plug.wire) + 1;
    await plugDevice(
      lab,
      seatNamespace(lab),
      plug,
      `seat.${plug.wire}`,
      hardwareAddress("seat", 0, number),
      number > 1,
    );
  }
  await applyCuts(lab);
}

async function plugDevice(
  lab: Lab,
  namespace: string,
  plug: Plug,
  port: string,
  mac: string,
  again = false,
): Promise<void> {
  if (!again) await makeNamespace(namespace);
  await ipBatch(wiresNamespace(lab), [
    `link add ${port} type veth peer name ${plug.wire} address ${mac} netns ${namespace}`,
    `link set ${port} master ${plug.wire}`,
    `link set ${port} up`,
  ]);
  await inNamespace(namespace, [
    "ip",
    "addr",
    "add",
    plug.address,
    "dev",
    plug.wire,
    ...(plug.address.includes(":") ? ["nodad"] : []),
  ]);
  await inNamespace(namespace, ["ip", "link", "set", plug.wire, "up"]);
}

/**
 * A machine's network configuration, which at a real site comes with the operating system's installation or by DHCP:
 * duet leaves the network to its owner and only waits for its addresses.
 */
export async function writeMachineNetwork(lab: Lab, m: LabMachine, folder: string): Promise<void> {
  const target = join(folder, "etc", "systemd", "network");
  await mkdir(target, { recursive: true });
  for (const plug of lab.addresses.machines[m.number - 1] ?? []) {
    await writeFile(
      join(target, `10-${plug.wire}.network`),
      [
        "[Match]",
        `Name=${plug.wire}`,
        "[Network]",
        "LinkLocalAddressing=ipv6",
        "IPv6AcceptRA=no",
        // A cable pulled for a moment must not take the address away under a running Corosync.
        "IgnoreCarrierLoss=yes",
        "ConfigureWithoutCarrier=yes",
        "[Address]",
        `Address=${plug.address}`,
        "DuplicateAddressDetection=none",
        ...gatewayLines(lab, plug.wire),
        "",
      ].join("\n"),
    );
  }
}

/**
 * A way to everywhere else, as at a real site, for machines with Kubernetes: without one the kernel refuses a service's address before
 * anybody can say which pod is meant.
 */
function gatewayLines({ record, addresses }: Lab, wire: Plug["wire"]): readonly string[] {
  const seat = addresses.seat.find((plug) => plug.wire === wire);
  if (record.kubernetes === undefined || wire !== "link1" || seat === undefined) return [];
  return ["[Route]", `Gateway=${seat.address.replace(/\/\d+$/, "")}`];
}
