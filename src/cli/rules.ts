import type { Command } from "commander";

export function register(program: Command): void {
  program
    .command("rules")
    .summary("print the rules by which duet decides")
    .description(
      "Prints every table of rules in the order in which they are tried. The first rule that holds decides; its id stands " +
        "in each log line and in the flight recorder. One rule alone is printed with its page: what to look at, and what to do.",
    )
    .argument("[id]", "only the rule with this id, such as R-TAKE-OVER")
    .option("--json", "print the tables as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet rules                      all tables
  duet rules R-NOT-FULL           one rule with its page, as a log line names it
  duet rules --json | jq '.tables[].rules[].id'

Exit status: 0 printed, 2 there is no such rule.`,
    )
    .action(async (id: string | undefined, options: { readonly json?: boolean }) => {
      const { rulesCommand } = await import("./rules-command.ts");
      rulesCommand(id, options.json === true);
    });
}
