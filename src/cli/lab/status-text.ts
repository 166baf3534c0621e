import type { LabStatus, MachineStatus } from "../../../lab/status.ts";
import { paint } from "../output.ts";

/** One screen: a line for each machine with its BMC, then what is cut. */
export function statusText(status: LabStatus, cuts: readonly string[]): string {
  const lines = status.machines.flatMap(machineLines);
  const wires = cuts.length === 0 ? "all whole" : paint("yellow", `cut: ${cuts.join(", ")}`);
  const pdu = status.pdu === undefined ? [] : [`PDU     ${status.pdu.url}${faultsText(status.pdu.faults)}`];
  return [`lab ${status.name}  (${status.folder})`, ...lines, ...pdu, `wires   ${wires}`, ""].join("\n");
}

function machineLines(m: MachineStatus): readonly string[] {
  const power = {
    on: paint("green", "on"),
    off: paint("red", "off"),
    hung: paint("yellow", "hung"),
    broken: paint("red", "broken"),
  }[m.power];
  const disk =
    m.disk === undefined
      ? ""
      : `  disk ${m.disk.used_mb} of ${m.disk.size_mb} MB${m.disk.slow ? paint("yellow", " slow") : ""}`;
  const feed = m.feed === "on" ? "" : paint("red", "  feed off");
  return [
    `${m.name.padEnd(7)} power ${power}${feed}  ${m.addresses.join(" ")}${disk}`,
    `        BMC ${m.bmc.up ? "up" : paint("red", "dead")}  ${m.bmc.url}${faultsText(m.bmc.faults)}`,
  ];
}

const faultsText = (faults: readonly string[]): string =>
  faults.length === 0 ? "" : paint("yellow", `  faults: ${faults.join(", ")}`);
