import type { Command } from "commander";
import type { ReplayOptions } from "./replay-command.ts";

export function register(program: Command): void {
  program
    .command("replay")
    .summary("decide once more what a flight recorder holds, and compare")
    .description(
      "Feeds the recorded facts through the rules of this duet. Every decision must come out as it was recorded: the same " +
        "decision, by the same rule, on the same path.",
    )
    .argument(
      "[file...]",
      "a recorder's folder, or files from it (default: this machine's; beside a site file both machines', over ssh)",
    )
    .option("--site <file>", "both machines' of this site, over ssh as `duet check`")
    .option("--ssh-config <file>", "configuration file for ssh, in place of yours")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
After an upgrade rules may differ on purpose: the version that recorded each difference is told.

Exit status: 0 all the same, 1 at least one differs, 2 a file or a line can't be read (the rest is replayed all the same),
3 no machine could be asked.

Examples:
  duet replay                         on a machine: its own recorder; beside site.yaml: both machines'
  duet replay node1/record node2/record
  duet replay --json record | jq '.differences[].entry.rule'`,
    )
    .action(async (files: readonly string[], options: ReplayOptions) => {
      const { replayCommand } = await import("./replay-command.ts");
      process.exitCode = await replayCommand(files, options);
    });
  program
    .command("record", { hidden: true })
    .description("Prints this machine's flight recorder, its newest part. What `duet explain` runs over ssh.")
    .argument("[folder]", "a recorder's folder (default: this machine's)")
    .addHelpText("after", "\nExample:\n  ssh root@node1 duet record > node1.jsonl")
    .action(async (folder: string | undefined) => {
      const { pipeline } = await import("node:stream/promises");
      const { paths } = await import("../base/paths.ts");
      const { exported } = await import("../agents/record/export.ts");
      await pipeline(exported(folder ?? paths.record), process.stdout, { end: false });
    });
}
