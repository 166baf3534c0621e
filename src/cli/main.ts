import { Command, CommanderError } from "commander";
import { DuetError, exit } from "../base/problem.ts";
import * as check from "./check.ts";
import * as demo from "./demo.ts";
import * as init from "./init.ts";
import * as lab from "./lab.ts";
import { argumentsFor } from "./names.ts";
import { printProblems } from "./output.ts";
import * as probe from "./probe.ts";
import * as render from "./render.ts";
import * as setup from "./setup.ts";

/** These files only describe their commands; the code behind is loaded when one runs, so an agent's start stays cheap. */
const commands: readonly { readonly register: (program: Command) => void }[] = [
  init,
  check,
  render,
  setup,
  probe,
  lab,
  demo,
];

export const version = "0.1.0";

async function main(argv: readonly string[]): Promise<number> {
  const program = new Command("duet")
    .description("A Kubernetes control plane on exactly two machines.")
    .version(version)
    .showHelpAfterError("(duet --help lists the commands, duet COMMAND --help explains one)")
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  for (const command of commands) command.register(program);
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

// No top-level await: the main of the single executable is CommonJS, which has none.
void (async () => {
  process.exitCode = await main(argumentsFor(process.argv0, process.argv.slice(2)));
})();
