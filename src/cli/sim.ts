import type { Command } from "commander";

export interface SimOptions {
  readonly seed: string;
  readonly schedules?: string;
  readonly minutes?: string;
  readonly plant?: string;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const sim = program
    .command("sim")
    .summary("try to break the rules in a simulated world")
    .description(
      "Runs duet's own rules and steps on two simulated machines with faults, and checks after each event that nothing is lost. " +
        "The same seed is the same run, on every machine.",
    );
  sim
    .command("run")
    .summary("run schedule after schedule, until one breaks a rule")
    .option("--seed <number>", "the first seed; each schedule takes the next", "1")
    .option("--schedules <number>", "so many schedules (default: 500, or what fits into --minutes)")
    .option("--minutes <number>", "stop after so long")
    .option("--plant <name>", "switch one known mistake on, to see it found")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet sim run                                   500 schedules
  duet sim run --seed 1000000 --minutes 3        fresh ones, for three minutes
  duet sim run --plant notify-is-proof           a mistake, found, shrunk and told

Exit status: 0 nothing was broken, 1 something was, 2 there is no such plant, or a number is none.`,
    )
    .action(async (options: SimOptions) => {
      const { simRun } = await import("./sim-command.ts");
      process.exitCode = await simRun(options);
    });
  sim
    .command("replay")
    .summary("repeat one schedule and print what happens in it")
    .argument("<seed>", "as a run printed it")
    .option("--plant <name>", "with this mistake")
    .option("--json", "print the timeline as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet sim replay 1022
  duet sim replay 19 --plant notify-is-proof

Exit status: 0 nothing was broken, 1 something was, 2 there is no such plant, or the seed is no number.`,
    )
    .action(async (seed: string, options: Pick<SimOptions, "plant" | "json">) => {
      const { simReplay } = await import("./sim-command.ts");
      process.exitCode = await simReplay(seed, options);
    });
}
