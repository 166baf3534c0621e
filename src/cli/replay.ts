import type { Command } from "commander";

export function register(program: Command): void {
  program
    .command("replay")
    .summary("decide once more what a flight recorder holds, and compare")
    .description(
      "Feeds the recorded facts through the rules of this duet. Every decision must come out as it was recorded: the same " +
        "decision, by the same rule, on the same path.",
    )
    .argument("[file...]", "a recorder's folder, or files from it (default: this machine's)")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
After an upgrade rules may differ on purpose: the version that recorded each difference is told.

Exit status: 0 all the same, 1 at least one differs, 2 a file or a line can't be read (the rest is replayed all the same).

Examples:
  duet replay                         on a machine: its own recorder
  duet replay node1/record node2/record
  duet replay --json record | jq '.differences[].entry.rule'`,
    )
    .action(async (files: readonly string[], options: { readonly json?: boolean }) => {
      const { replayCommand } = await import("./replay-command.ts");
      process.exitCode = await replayCommand(files, options.json === true);
    });
}
