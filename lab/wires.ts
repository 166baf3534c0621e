import { join } from "node:path";
import * as v from "valibot";
import { readIfThere, replaceSynced } from "../src/machine/files.ts";
import type { Wire } from "./addresses.ts";
import { readFaults } from "./bmc/fault.ts";
import { allMachines, type Lab, namespaceFile } from "./folder.ts";
import { inNamespace, ipBatch } from "./namespace.ts";

/**
 * What was done to the wires. `between`: nothing passes between the two machines on this wire, the operator still
 * reaches both (a broken line between two switches). `plug`: a cable pulled out of one machine or BMC.
 */
const cutSchema = v.variant("kind", [
  v.object({
    kind: v.literal("between"),
    wire: v.picklist(["link1", "link2", "mgmt"]),
    from: v.optional(v.string()),
  }),
  v.object({ kind: v.literal("plug"), port: v.string(), from: v.optional(v.string()) }),
]);
export type Cut = v.InferOutput<typeof cutSchema>;

/** Ports of the wires' namespace: `m1.link1`, `b1.mgmt`, `seat.mgmt`; an interface's name has at most 15 characters. */
export const machinePort = (number: number, wire: Wire): string => `m${number}.${wire}`;
export const pduPort = "pdu.mgmt";
const seatPort = "seat.mgmt";
export const bmcPort = (number: number): string => `b${number}.mgmt`;

const cutsFile = (lab: Lab): string => join(lab.folder, "cuts.json");
export const wiresNamespace = (lab: Pick<Lab, "folder">): string => namespaceFile(lab.folder, "wires");

export async function readCuts(lab: Lab): Promise<readonly Cut[]> {
  return v.parse(v.array(cutSchema), JSON.parse((await readIfThere(cutsFile(lab))) ?? "[]"));
}

/** Records the cuts and makes the wires so. What is recorded is the truth; applying it again changes nothing. */
export async function setCuts(lab: Lab, cuts: readonly Cut[]): Promise<void> {
  await replaceSynced(cutsFile(lab), JSON.stringify(cuts));
  await applyCuts(lab);
}

export async function applyCuts(lab: Lab): Promise<void> {
  const cuts = await readCuts(lab);
  const silent: string[] = [];
  for (const m of allMachines(lab)) {
    const faults = readFaults(join(m.folder, "bmc"));
    if (faults.some((f) => f.kind === "unreachable")) silent.push(bmcPort(m.number));
  }
  if (readFaults(join(lab.folder, "pdu")).some((f) => f.kind === "unreachable")) silent.push(pduPort);
  const names = new Map(allMachines(lab).map((m) => [m.machine.name, m.number]));
  await inNamespace(wiresNamespace(lab), ["nft", "-f", "-"], { input: ruleset(cuts, silent, names) });
  await applyPlugs(lab, cuts);
}

/** A pulled plug takes the carrier away, as at a real port. A port of a machine without power is not there at all. */
async function applyPlugs(lab: Lab, cuts: readonly Cut[]): Promise<void> {
  const pulled = new Set(cuts.flatMap((c) => (c.kind === "plug" && c.from === undefined ? [c.port] : [])));
  const { stdout } = await inNamespace(wiresNamespace(lab), ["ip", "-json", "link", "show", "type", "veth"]);
  const ports = v.parse(
    v.array(v.object({ ifname: v.string(), flags: v.array(v.string()) })),
    JSON.parse(stdout || "[]"),
  );
  const lines = ports.flatMap((p) => {
    const wanted = !pulled.has(p.ifname);
    return p.flags.includes("UP") === wanted ? [] : [`link set ${p.ifname} ${wanted ? "up" : "down"}`];
  });
  if (lines.length > 0) await ipBatch(wiresNamespace(lab), lines);
}

/** The nftables rules for the cuts, replacing what was there in one step. Pure. */
export function ruleset(
  cuts: readonly Cut[],
  silentPorts: readonly string[],
  machines: ReadonlyMap<string, number>,
): string {
  const rules: string[] = [];
  for (const cut of cuts) {
    if (cut.kind === "between") rules.push(...betweenRules(cut, machines));
    // One way: what the far end of this cable sends no longer arrives.
    else if (cut.from !== undefined) rules.push(`iifname "${cut.port}" drop`);
  }
  for (const port of silentPorts) rules.push(`iifname "${port}" drop`, `oifname "${port}" drop`);
  return [
    "table bridge cuts",
    "delete table bridge cuts",
    "table bridge cuts {",
    "  chain forward {",
    "    type filter hook forward priority 0",
    ...rules.map((r) => `    ${r}`),
    "  }",
    "}",
    "",
  ].join("\n");
}

function betweenRules(
  cut: Extract<Cut, { kind: "between" }>,
  machines: ReadonlyMap<string, number>,
): readonly string[] {
  // Nothing on the management wire goes from machine to machine: there it is everything that is cut.
  if (cut.wire === "mgmt") {
    const from = cut.from === undefined ? undefined : machines.get(cut.from);
    // Each port by its name: nftables knows names with an open end, and none with an open beginning.
    const ports = [...machines.values()].flatMap((number) => [machinePort(number, "mgmt"), bmcPort(number)]);
    const cutOff = from === undefined ? [...ports, pduPort, seatPort] : [machinePort(from, "mgmt")];
    return cutOff.map((port) => `iifname "${port}" drop`);
  }
  return [...machines].flatMap(([name, number]) =>
    [...machines.values()]
      .filter((other) => other !== number && (cut.from === undefined || cut.from === name))
      .map(
        (other) =>
          `iifname "${machinePort(number, cut.wire)}" oifname "${machinePort(other, cut.wire)}" drop`,
      ),
  );
}
