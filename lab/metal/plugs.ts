import { join } from "node:path";
import { wireNames } from "../addresses.ts";
import { type Lab, type LabMachine } from "../folder.ts";
import { inNamespace, ipBatch } from "../namespace.ts";
import { applyCuts, machinePort, wiresNamespace } from "../wires.ts";

/**
 * Hardware addresses are fixed: otherwise a peer's ARP entry for a machine that was away goes stale, and the next call
 * to it waits for seconds.
 */
export function hardwareAddress(
  kind: "machine" | "bmc" | "seat" | "bridge",
  number: number,
  wire: number,
): string {
  const kinds = { machine: 1, bmc: 2, seat: 3, bridge: 4 } as const;
  return `02:d0:e7:0${kinds[kind]}:0${number}:0${wire}`;
}

/** A cable from the machine's namespace to each wire. Wires that were cut stay cut. */
export async function plugIn(lab: Lab, m: LabMachine): Promise<void> {
  const plugs = lab.addresses.machines[m.number - 1] ?? [];
  const lines = plugs.flatMap((plug) => {
    const port = machinePort(m.number, plug.wire);
    const mac = hardwareAddress("machine", m.number, wireNames.indexOf(plug.wire) + 1);
    return [
      `link add ${port} type veth peer name ${plug.wire} address ${mac} netns ${join(m.folder, "net")}`,
      `link set ${port} master ${plug.wire}`,
      `link set ${port} up`,
    ];
  });
  await ipBatch(wiresNamespace(lab), lines);
  await applyCuts(lab);
}

/** All of a machine's cables at once; those that are not there don't matter. */
export async function pullPlugs(lab: Lab, m: LabMachine): Promise<void> {
  const lines = wireNames.map((wire) => `link del ${machinePort(m.number, wire)}`);
  // `-force` goes on after a line that failed: a machine without a second link has no such port.
  await inNamespace(wiresNamespace(lab), ["ip", "-force", "-batch", "-"], {
    input: `${lines.join("\n")}\n`,
    accept: "any",
  });
}
