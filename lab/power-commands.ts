import { fail } from "../src/base/problem.ts";
import { until } from "../src/machine/clock.ts";
import { breakMachine, isBroken, repairMachine } from "./broken.ts";
import { feedIsOn, feedOff, feedOn } from "./feed.ts";
import { labHint, machineOf, openLab } from "./folder.ts";
import { isHung, isOn, metalOf } from "./metal/power.ts";

export type PowerDeed = "on" | "off" | "cut" | "hang" | "break" | "repair";

/** A person's hand at a machine's button, plug or, for `hang` and `break`, whatever froze or broke it. */
export async function switchPower(labName: string, machine: string, what: PowerDeed): Promise<void> {
  const lab = await openLab(labName);
  const m = machineOf(lab, machine);
  const metal = metalOf(lab, machine);
  switch (what) {
    case "on":
      if (!(await feedIsOn(m)))
        fail("DUET-E-LAB-POWER", machine, "its feed is off", labHint(labName, `feed on ${machine}`));
      if (await isHung(lab, m))
        fail(
          "DUET-E-LAB-POWER",
          machine,
          "it hangs: it has power already",
          labHint(labName, `power cut ${machine}`),
        );
      if (await isBroken(m))
        fail("DUET-E-LAB-POWER", machine, "it is broken", labHint(labName, `power repair ${machine}`));
      return await metal.on();
    case "cut":
      return await metal.cut();
    case "hang":
      return await metal.hang();
    case "break":
      await breakMachine(m);
      return await metal.cut();
    case "repair":
      return await repairMachine(m);
    case "off":
      if (await isHung(lab, m))
        fail(
          "DUET-E-LAB-POWER",
          machine,
          "it hangs, and does not hear its power button",
          labHint(labName, `power cut ${machine}`),
        );
      await metal.press();
      await until(`${machine} shutting down`, async () => !(await isOn(lab, m)), { deadline_ms: 120_000 });
      return;
  }
}

export async function switchFeed(labName: string, machine: string, what: "off" | "on"): Promise<void> {
  const lab = await openLab(labName);
  const m = machineOf(lab, machine);
  if (what === "off") await feedOff(lab, m);
  else await feedOn(lab, m);
}
