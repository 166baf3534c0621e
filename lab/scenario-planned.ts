import { type MachineName, otherThan } from "../src/scenario/slots.ts";
import type { Doing, Seen } from "../src/scenario/world.ts";
import type { Lab } from "./folder.ts";
import { runIn } from "./run.ts";
import type { Eyes } from "./scenario-eyes.ts";
import type { Stage } from "./scenario-stage.ts";

/** As long as the commands themselves wait at most, and some room. */
const planned_ms_max = 20 * 60_000;

/** Planned work as a person asks for it: with duet's own commands, on the machine, or on its peer while it has no power. `leaves` is called just before a machine goes. */
export function plannedWords(stage: Stage, eyes: Eyes, leaves: () => void): Doing {
  const ask = async (word: "standby" | "unstandby", machine: MachineName): Promise<Seen> => {
    const at = (await eyes.isOn(machine)) ? machine : otherThan(machine);
    const { status, stderr } = await runIn(await stage.lab(), at, ["duet", word, machine], {
      accept: "any",
      deadline_ms: planned_ms_max,
    });
    return { ok: status === 0, seen: status === 0 ? "" : stderr.trim().split("\n").slice(-2).join(" ") };
  };
  return {
    standby: ({ machine }) => {
      leaves();
      return ask("standby", machine);
    },
    unstandby: ({ machine }) => ask("unstandby", machine),
  };
}

/** What a scenario left in Pacemaker's configuration would be there for the next one: it outlives every reboot. */
export async function endPlanned(lab: Lab, machine: string): Promise<void> {
  for (const { name } of lab.site.machines)
    await runIn(lab, machine, ["crm_attribute", "--node", name, "--name", "standby", "--delete"], {
      accept: "any",
    });
  await runIn(
    lab,
    machine,
    ["crm_attribute", "--type", "crm_config", "--name", "maintenance-mode", "--delete"],
    {
      accept: "any",
    },
  );
}
