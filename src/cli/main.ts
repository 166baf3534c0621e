import { Command, CommanderError } from "commander";
import { DuetError, exit } from "../base/problem.ts";
import { printProblems } from "./output.ts";

/** One entry per command; the code behind it is loaded only when it runs, so that an agent's start stays cheap. */
const commands: readonly (() => Promise<{ register: (program: Command) => void }>)[] = [];

export const version = "0.1.0";

async function main(argv: readonly string[]): Promise<number> {
  const program = new Command("duet")
    .description("A Kubernetes control plane on exactly two machines.")
    .version(version)
    .showHelpAfterError("(duet --help lists the commands, duet COMMAND --help explains one)")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  for (const load of commands) (await load()).register(program);
  try {
    await program.parseAsync(argv, { from: "user" });
    return typeof process.exitCode === "number" ? process.exitCode : exit.ok;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exit.ok : exit.badInput;
    if (error instanceof DuetError) {
      printProblems(error.problems, argv.includes("--json"));
      return error.status;
    }
    throw error;
  }
}

process.exitCode = await main(process.argv.slice(2));
