import type { Command } from "commander";

export function register(program: Command): void {
  program
    .command("demo")
    .description(
      "Shows duet on two machines on this box: up, one lost, the other takes over, both again. What `npm start` runs.",
    )
    .option("--keep", "leave the lab running, to play in")
    .option("--json", "the measured times as JSON")
    .addHelpText("after", "\nExamples:\n  npm start\n  npm start -- --keep")
    .action(async (flags: { readonly keep?: boolean; readonly json?: boolean }) => {
      const { runDemo } = await import("./demo-command.ts");
      await runDemo(flags);
    });
}
