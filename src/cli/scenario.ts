import { type Command, Option } from "commander";

export interface RunFlags {
  readonly in: "sim" | "lab";
  readonly name: string;
  readonly seed?: string;
  readonly keep?: boolean;
  readonly kubernetes?: boolean;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const scenario = program
    .command("scenario")
    .description("Stories of failures that a person can read aloud, run on machines or in the simulator.");

  scenario
    .command("run <file>")
    .description("Runs the steps of a file, each with its time, up to the first that fails.")
    .addOption(
      new Option("--in <world>", "where: the simulator, or a lab made for it")
        .choices(["sim", "lab"])
        .makeOptionMandatory(),
    )
    .option(
      "--seed <number>",
      "in the simulator: another run of the same story (default: always the same one)",
    )
    .option("--name <lab>", "in the lab: the name of the lab that is made", "scenario")
    .option("--keep", "in the lab: leave the machines there, to look at; an earlier kept lab is used again")
    .option(
      "--kubernetes",
      "in the lab: on machines with Kubernetes, with clients of its API beside the story's own",
    )
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Exit status: 0 every expectation held, 1 one did not (the message names its line), 2 the file is wrong,
3 this world can't do all its steps (yet), or not here; nothing was started then.

Examples:
  duet scenario run scenarios/machine-lost.txt --in lab
  duet scenario run scenarios/one-way-cut.txt --in lab --kubernetes
  duet scenario run scenarios/node-failure.txt --in sim
  duet scenario run scenarios/node-failure.txt --in sim --seed 7 --json`,
    )
    .action(async (file: string, flags: RunFlags) => {
      const { runFile } = await import("./scenario-run.ts");
      process.exitCode = await runFile(file, flags);
    });

  scenario
    .command("format <files...>")
    .description("Writes files anew in the one canonical form: a step a line, single spaces, comments kept.")
    .option("--check", "change nothing; exit status 1 where a file would be changed")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nExamples:\n  duet scenario format my-story.txt\n  duet scenario format --check scenarios/*.txt",
    )
    .action(
      async (files: readonly string[], flags: { readonly check?: boolean; readonly json?: boolean }) => {
        const { formatFiles } = await import("./scenario-text.ts");
        process.exitCode = await formatFiles(files, flags);
      },
    );

  scenario
    .command("words")
    .description("The language: every step with what it means.")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  duet scenario words | grep BMC")
    .action(async (flags: { readonly json?: boolean }) => {
      const { printWords } = await import("./scenario-text.ts");
      printWords(flags.json === true);
    });
}
