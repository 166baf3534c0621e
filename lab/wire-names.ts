import { exit, fail } from "../src/base/problem.ts";
import { allMachines, type Lab, machineOf } from "./folder.ts";
import { bmcPort, type Cut, machinePort } from "./wires.ts";

/** What `duet lab wire` calls things: `link1`, `link2`, `mgmt`, or one plug: `node1:link1`, `node1:mgmt`, `node1:bmc`. */
export function parseCut(lab: Lab, wire: string, from: string | undefined): Cut {
  if (from !== undefined) machineOf(lab, from);
  const way = from === undefined ? {} : { from };
  const wires = wiresOf(lab);
  const whole = wires.find((w) => w === wire);
  if (whole !== undefined) return { kind: "between", wire: whole, ...way };
  const [name, plug] = wire.split(":");
  const m = allMachines(lab).find((other) => other.machine.name === name);
  if (m === undefined) return unknown(lab, wire);
  if (from !== undefined && from !== name)
    fail(
      "DUET-E-LAB-WIRE",
      `--from ${from}`,
      `at a plug of ${name} one way means: what ${name} sends there is lost`,
      `write --from ${name}, or cut the plug of ${from}`,
      exit.badInput,
    );
  if (plug === "bmc") return { kind: "plug", port: bmcPort(m.number), ...way };
  const own = wires.find((w) => w === plug);
  return own === undefined ? unknown(lab, wire) : { kind: "plug", port: machinePort(m.number, own), ...way };
}

function wiresOf(lab: Lab) {
  const links = (["link1", "link2"] as const).slice(0, lab.site.machines[0]?.addresses.length ?? 1);
  return [...links, "mgmt" as const];
}

function unknown(lab: Lab, what: string): never {
  const wires = wiresOf(lab);
  const names = allMachines(lab).flatMap((m) => [...wires, "bmc"].map((w) => `${m.machine.name}:${w}`));
  fail(
    "DUET-E-LAB-WIRE",
    what.slice(0, 80),
    "the lab has no such wire",
    `write one of: ${[...wires, ...names].join(", ")}`,
    exit.badInput,
  );
}

/** A cut in the words that made it. */
export function describeCut(lab: Lab, cut: Cut): string {
  const way = cut.from === undefined ? "" : ` (from ${cut.from} only)`;
  if (cut.kind === "between") return `${cut.wire}${way}`;
  const [port = "", wire = ""] = cut.port.split(".");
  const name = lab.site.machines[Number(port.slice(1)) - 1]?.name ?? port;
  return `${name}:${port.startsWith("b") ? "bmc" : wire}${way}`;
}
