import type { Command } from "commander";

export interface SimOptions {
  readonly seed: string;
  readonly schedules?: string;
  readonly minutes?: string;
  readonly jobs?: string;
  readonly plant?: string;
  readonly html?: string;
  readonly json?: boolean;
}
export interface ReplayOptions {
  readonly plant?: string;
  readonly choices?: string;
  readonly full?: boolean;
  readonly html?: string;
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
    .option(
      "--schedules <number>",
      "so many schedules (default: 500, with --plant 5000, or what fits into --minutes)",
    )
    .option("--minutes <number>", "stop after so long")
    .option("--jobs <number>", "so many processes (default: one for each core)")
    .option("--plant <name>", "switch one known mistake on, to see it found")
    .option("--html <file>", "write what was found as a page to look at")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet sim run                                   500 schedules
  duet sim run --seed 1000000 --minutes 3        fresh ones, for three minutes
  duet sim run --plant notify-is-proof           a mistake, found, shrunk and told
  duet sim run --plant notify-is-proof --html story.html

Exit status: 0 nothing was broken, 1 something was, 2 the call is wrong: no such plant, not a number, no place for the page.`,
    )
    .action(async (options: SimOptions) => {
      const { simRun } = await import("./sim-command.ts");
      process.exitCode = await simRun(options);
    });
  // What `run` starts for each core; its questions and answers are no promise to anybody else.
  sim
    .command("work", { hidden: true })
    .option("--plant <name>")
    .action(async (options: Pick<SimOptions, "plant">) => {
      const { simWork } = await import("./sim-workers.ts");
      await simWork(options.plant);
    });
  sim
    .command("replay")
    .summary("repeat one schedule and print what happens in it")
    .argument("[seed]", "as a run printed it")
    .option("--plant <name>", "with this mistake")
    .option("--choices <file>", "a shrunk schedule: what `sim run --json` printed, with its seed and plant")
    .option("--full", "the whole trace, line by line, instead of its story")
    .option("--html <file>", "write it as a page to look at")
    .option("--json", "print the timeline as JSON")
    .addHelpText(
      "after",
      `
Examples:
  duet sim replay 1022
  duet sim replay 19 --plant notify-is-proof --html story.html
  duet sim run --plant notify-is-proof --json > found.json; duet sim replay --choices found.json

Exit status: 0 nothing was broken, 1 something was, 2 the call is wrong: no such plant, seed or file.`,
    )
    .action(async (seed: string | undefined, options: ReplayOptions) => {
      const { simReplay } = await import("./sim-replay.ts");
      process.exitCode = await simReplay(seed, options);
    });
}
