import type { Command } from "commander";
import type { RecordOptions } from "./records.ts";

export interface ExplainOptions extends RecordOptions {
  readonly json?: boolean;
  readonly last?: string;
}

export function register(program: Command): void {
  program
    .command("explain")
    .summary("show the last failover: each phase's time, and the rules that decided")
    .description(
      "Reads the flight recorder of one machine or of both, and draws what happened: when the loss was detected, the fence, " +
        "the takeover, the first write, the way back to 1+1, by which rule each turn was decided, and what admins said.",
    )
    .argument(
      "[file...]",
      "a recorder's folder, or files from it (default: this machine's; beside a site file both machines', over ssh)",
    )
    .option("--site <file>", "both machines' of this site, over ssh as `duet check`")
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    .option("--last <n>", "the last N failovers", "1")
    .option("--json", "print them as JSON")
    .addHelpText(
      "after",
      `
With the records of both machines the picture is whole; with one it says what is missing. Nothing is changed.

Exit status: 0 shown (also where there was no failover), 2 a file is no record that this duet can read, 3 no machine could be asked.
Damaged lines are named and left out. What an admin said is told with what became of it, also where there was no failover; what he was
shown before is in the JSON.

Examples:
  duet explain                        on a machine: its own recorder; beside site.yaml: both machines'
  duet explain --site shop.yaml
  duet explain node1/record node2/record
  duet explain --last 3 --json | jq '.failovers[].phases[] | {name, at_ms}'
  duet explain --json | jq '(.failovers[].words[], .words[]) | {at, machine, who, said, outcome, shown}'`,
    )
    .action(async (files: readonly string[], options: ExplainOptions) => {
      const { explain } = await import("./explain-command.ts");
      await explain(files, options);
    });
}
