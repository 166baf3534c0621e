import { CommanderError, type Command } from "commander";
import { DuetError, exit, type ExitStatus, type Problem } from "../base/problem.ts";
import { printProblems } from "./output.ts";

/** Did the user ask for data? What stands behind `--` is another program's. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end === -1 ? argv.length : end).includes("--json");
}

/** Tells whatever a command threw, in one form for all, and gives the exit status. */
export function report(error: unknown, program: Command, argv: readonly string[]): ExitStatus {
  const json = wantsJson(argv);
  if (error instanceof DuetError) {
    printProblems(error.problems, json);
    return error.status;
  }
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return exit.ok;
    // Called without a command: the help is printed already, and says more.
    if (json || error.code !== "commander.help") printProblems([usageProblem(error, program, argv)], json);
    return exit.badInput;
  }
  const message = error instanceof Error ? error.message : String(error);
  printProblems(
    [
      {
        code: "DUET-E-BUG",
        where: "duet",
        what: `this is a bug of duet: ${message}`,
        fix: "please report it, with your command, `duet --version` and the lines on standard error",
      },
    ],
    json,
  );
  process.stderr.write(`${error instanceof Error ? error.stack : new Error(message).stack}\n`);
  return exit.failed;
}

function usageProblem(error: CommanderError, program: Command, argv: readonly string[]): Problem {
  const where = commandOf(program, argv);
  return {
    code: "DUET-E-USAGE",
    where,
    what:
      error.code === "commander.help"
        ? "a command is missing"
        : error.message.replace(/^error: /, "").replaceAll(/\s+/g, " "),
    fix: `\`${where} --help\` shows how it is used`,
  };
}

/** The command that the arguments name, as far as there is one: `duet lab up`. */
function commandOf(program: Command, argv: readonly string[]): string {
  const names = [program.name()];
  let command: Command | undefined = program;
  for (const word of argv) {
    command = command.commands.find((each) => each.name() === word);
    if (command === undefined) break;
    names.push(word);
  }
  return names.join(" ");
}
