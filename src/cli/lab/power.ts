import { type Command, Argument } from "commander";
import { type LabOptions, labCommand } from "./options.ts";

const deeds = ["on", "off", "cut", "hang", "break", "repair"] as const;

export function registerPower(lab: Command): void {
  labCommand(
    lab,
    "power",
    "Power of one machine: on, off (its button), cut (no goodbye), hang (frozen), break (cut, and it can't be powered on), repair.",
  )
    .addArgument(new Argument("<what>").choices(deeds))
    .argument("<machine>")
    .action(async (what: (typeof deeds)[number], machine: string, flags: LabOptions) => {
      const { switchPower } = await import("../../../lab/power-commands.ts");
      await switchPower(flags.name, machine, what);
    });

  labCommand(lab, "feed", "The feed of one machine and its BMC: both die, both come back.")
    .addArgument(new Argument("<what>").choices(["off", "on"]))
    .argument("<machine>")
    .action(async (what: "off" | "on", machine: string, flags: LabOptions) => {
      const { switchFeed } = await import("../../../lab/power-commands.ts");
      await switchFeed(flags.name, machine, what);
    });
}
