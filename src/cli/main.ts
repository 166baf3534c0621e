import { Command } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { exit } from "../base/problem.ts";
import { keepThreadsAwake } from "../machine/pulse.ts";
import * as agent from "./agent.ts";
import * as alertTest from "./alert-test.ts";
import * as check from "./check.ts";
import * as chooseData from "./choose-data.ts";
import * as confirmPeerDown from "./confirm-peer-down.ts";
import * as credentials from "./credentials.ts";
import * as demo from "./demo.ts";
import * as explain from "./explain.ts";
import * as fenceTest from "./fence-test.ts";
import * as init from "./init.ts";
import * as kubeconfig from "./kubeconfig.ts";
import * as lab from "./lab.ts";
import { argumentsFor } from "./names.ts";
import * as page from "./page.ts";
import * as planned from "./planned.ts";
import * as probe from "./probe.ts";
import * as render from "./render.ts";
import * as replay from "./replay.ts";
import { report } from "./report.ts";
import * as rules from "./rules.ts";
import * as scenario from "./scenario.ts";
import * as setup from "./setup.ts";
import * as sim from "./sim.ts";
import * as status from "./status.ts";
import * as uninstall from "./uninstall.ts";
import * as wal from "./wal.ts";

/** These files only describe their commands; the code behind is loaded when one runs, so an agent's start stays cheap. */
const commands: readonly { readonly register: (program: Command) => void }[] = [
  init,
  check,
  render,
  setup,
  status,
  planned,
  uninstall,
  fenceTest,
  credentials,
  kubeconfig,
  alertTest,
  confirmPeerDown,
  chooseData,
  probe,
  lab,
  demo,
  wal,
  rules,
  page,
  scenario,
  sim,
  explain,
  replay,
  agent,
];

const program = new Command("duet")
  .description("A Kubernetes control plane on exactly two machines.")
  .version(manifest.version)
  .configureHelp({ showGlobalOptions: true })
  // What is wrong with the arguments is told by `report`, like every other problem.
  .configureOutput({ outputError: () => undefined })
  .exitOverride();
for (const command of commands) command.register(program);

keepThreadsAwake();

async function main(argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(argv, { from: "user" });
    return typeof process.exitCode === "number" ? process.exitCode : exit.ok;
  } catch (error) {
    return report(error, program, argv);
  }
}

// `duet … | head`: whoever read has seen enough. The work goes on to its end, so that nothing is left half done.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error) => {
    if (!("code" in error && error.code === "EPIPE")) throw error;
  });

const argv = argumentsFor(process.argv0, process.argv.slice(2));
process.on("uncaughtException", (error) => {
  process.exit(report(error, program, argv));
});

// No top-level await: the main of the single executable is CommonJS, which has none.
void (async () => {
  process.exitCode = await main(argv);
})();
