import type { Command } from "commander";
import { type LabOptions, labCommand } from "./options.ts";

export function registerInside(lab: Command): void {
  labCommand(lab, "shell <machine>", "A shell on a machine, or at `seat`, the operator's.").action(
    async (machine: string, flags: LabOptions) => {
      process.exitCode = await attach(flags.name, machine, ["bash", "-l"]);
    },
  );
  labCommand(
    lab,
    "run <machine> <command...>",
    "Runs a command on a machine, or at `seat`; its status is the command's.",
  )
    .addHelpText(
      "after",
      "\nExamples:\n  duet lab run node1 -- crm_mon -1\n  duet lab run seat -- ssh node2 uptime\n  duet lab run seat -- duet check",
    )
    .action(async (machine: string, command: readonly string[], flags: LabOptions) => {
      process.exitCode = await attach(flags.name, machine, command);
    });
}

async function attach(name: string, machine: string, argv: readonly string[]): Promise<number> {
  const { openLab } = await import("../../../lab/folder.ts");
  const { attachIn } = await import("../../../lab/run.ts");
  return await attachIn(await openLab(name), machine, argv);
}
