import { DuetError, type ExitStatus, exit, fail } from "../base/problem.ts";
import { Progress, seconds } from "../machine/progress.ts";
import { parseScenario } from "../scenario/parse.ts";
import {
  type Report,
  runScenario,
  type ScenarioResult,
  type StepReport,
  unfit,
  wrongWorld,
} from "../scenario/run.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { withApi } from "../scenario/with-api.ts";
import type { ScenarioWorld } from "../scenario/world.ts";
import { paint, printJson, printProblems } from "./output.ts";
import type { RunFlags } from "./scenario.ts";
import { readText } from "./scenario-text.ts";

/** A world that can be left again. */
interface OpenWorld extends ScenarioWorld {
  readonly close: () => Promise<void>;
}

/** `duet scenario run`. */
export async function runFile(file: string, flags: RunFlags): Promise<ExitStatus> {
  const { scenario: told, problems } = parseScenario(await readText(file), file);
  if (told === undefined) throw new DuetError(problems, exit.badInput);
  const scenario = flags.kubernetes === true ? withApi(told) : told;
  const world = await openWorld(scenario, flags);
  try {
    const result = await runScenario(scenario, world, flags.json === true ? silent : spoken());
    return tell(scenario, world, result, flags.json === true);
  } finally {
    // With `--keep` too: the lab stays by itself, and what listens to its machines must end, or this program never does.
    await world.close();
  }
}

async function openWorld(scenario: Scenario, flags: RunFlags): Promise<OpenWorld> {
  const problems = wrongWorld(scenario, flags.in);
  if (problems.length > 0) throw new DuetError(problems, exit.notHere);
  return flags.in === "sim" ? await simWorldFor(scenario, flags) : await labWorldFor(scenario, flags);
}

async function simWorldFor({ header }: Scenario, flags: RunFlags): Promise<OpenWorld> {
  const { simWorld } = await import("../../sim/scenario/world.ts");
  const seed = flags.seed === undefined ? {} : { seed: seedOf(flags.seed) };
  return { ...simWorld({ header, ...seed }), close: async () => undefined };
}

function seedOf(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  return fail(
    "DUET-E-SIM-NUMBER",
    "--seed",
    `${text} is not a whole number`,
    "give digits only, such as 1022",
    exit.badInput,
  );
}

async function labWorldFor(scenario: Scenario, flags: RunFlags): Promise<OpenWorld> {
  const { labWorld } = await import("../../lab/scenario-world.ts");
  const world = labWorld({
    name: flags.name,
    header: scenario.header,
    progress: new Progress(),
    reuse: flags.keep === true,
  });
  // Before the host is looked at: what can't be done anywhere is the better answer.
  const problems = unfit(scenario, world);
  if (problems.length > 0) throw new DuetError(problems, exit.notHere);
  const { checkoutFolder } = await import("../../lab/checkout.ts");
  const { requireHost } = await import("../../lab/host.ts");
  const { labHint } = await import("../../lab/folder.ts");
  const { onInterrupt } = await import("./interrupt.ts");
  checkoutFolder();
  requireHost();
  onInterrupt(`the machines are left; \`${labHint(flags.name, "down")}\` takes them away`);
  return world;
}

const silent: Report = { begins: () => undefined, ends: () => undefined };

/** One line for each step: when it ended, its words, who was meant, what was seen. */
function spoken(): Report {
  return {
    begins: ({ text }) => {
      if (process.stdout.isTTY) process.stdout.write(`  … ${text}\r`);
    },
    ends: (step) => {
      process.stdout.write(`${process.stdout.isTTY ? "\x1b[K" : ""}${lineOf(step)}\n`);
    },
  };
}

export function lineOf({ ok, to_ms, text, machine, seen }: StepReport): string {
  const mark = ok ? paint("green", "✓") : paint("red", "✗");
  const who = machine === undefined ? "" : ` (${machine})`;
  return `  ${mark} ${seconds(to_ms).padStart(10)}  ${text}${who}${seen === "" ? "" : `: ${seen}`}`;
}

function tell(scenario: Scenario, world: ScenarioWorld, result: ScenarioResult, json: boolean): ExitStatus {
  const { ok, problems, steps } = result;
  if (json) printJson({ file: scenario.file, world: world.name, time: world.time, ok, steps, problems });
  else {
    printProblems(problems, false);
    const verdict = ok ? "every step went as told" : "failed";
    process.stdout.write(`${scenario.header.title}: ${verdict} (${world.time} time)\n`);
  }
  return ok ? exit.ok : exit.failed;
}
