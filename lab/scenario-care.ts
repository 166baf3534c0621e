import { until } from "../src/machine/clock.ts";
import type { Wire } from "../src/scenario/slots.ts";
import { repairMachine } from "./broken.ts";
import { disturbDisk, healWire, setFault } from "./fault-commands.ts";
import { feedOn } from "./feed.ts";
import { allMachines, type Lab } from "./folder.ts";
import { isBroken } from "./metal/disk.ts";
import { isHung, isOn, keeperPid, metalOf } from "./metal/power.ts";
import { switchPower } from "./power-commands.ts";
import { passing, runIn } from "./run.ts";
import { endPlanned } from "./scenario-planned.ts";
import { endUnitFaults } from "./scenario-units.ts";

/** The wires of the lab behind a scenario's words. */
export function wiresNamed(wire: Wire): readonly string[] {
  switch (wire) {
    case "links":
      return ["link1", "link2"];
    case "everything":
      return ["link1", "link2", "mgmt"];
    case "link1":
    case "link2":
    case "mgmt":
      return [wire];
  }
}

/** Every fault ended: wires whole, BMCs well, feeds on, nobody frozen, disks writable, free and fast. Power stays as it is. */
export async function endFaults(lab: Lab): Promise<void> {
  await healWire(lab.name, "all", undefined);
  const pdu = lab.addresses.pdu === undefined ? [] : ["pdu"];
  for (const device of [...lab.site.machines.map((m) => m.name), ...pdu])
    await setFault(lab.name, device, "none", undefined);
  for (const m of allMachines(lab)) {
    await repairMachine(m);
    await feedOn(lab, m);
    const keeper = await keeperPid(lab, m);
    const stuck = (await isHung(lab, m)) || (keeper !== undefined && (await isBroken(m, keeper)));
    if (stuck) await metalOf(lab, m.machine.name).cut();
    if (!(await isOn(lab, m))) continue;
    await disturbDisk(lab.name, m.machine.name, "free", "");
    await disturbDisk(lab.name, m.machine.name, "fast", "");
    await endUnitFaults(lab, m.machine.name);
    await endPlanned(lab, m.machine.name);
  }
}

/**
 * Both online. Until duet powers a fenced peer on by itself a person does, here this loop: a machine that returns before
 * its peer has proven it off may be fenced then, and stays off.
 */
export async function wholeAgain(lab: Lab): Promise<void> {
  await until(
    "both machines online",
    async () => {
      for (const m of allMachines(lab))
        if (!(await isOn(lab, m))) await switchPower(lab.name, m.machine.name, "on");
      return await passing(() => bothOnline(lab));
    },
    { deadline_ms: 240_000, every_ms: 1000 },
  );
}

/** By the word of each machine that has power: a machine that is alone may count itself as online. */
export async function bothOnline(lab: Lab): Promise<boolean> {
  for (const m of allMachines(lab)) {
    if (!(await isOn(lab, m)) || (await isHung(lab, m))) return false;
    const { stdout } = await runIn(lab, m.machine.name, ["crm_mon", "-1"], { accept: "any" });
    if (!stdout.includes(`Online: [ ${lab.site.machines.map((each) => each.name).join(" ")} ]`)) return false;
  }
  return true;
}
