import { parseArgs } from "node:util";
import { canHost } from "../lab/host.ts";
import { groupByLab, inOneLab, lackedByLab } from "../lab/scenario-labs.ts";
import { labHint } from "../lab/folder.ts";
import { takeDownNow } from "../lab/take-down-now.ts";
import { simWorld } from "../sim/scenario/world.ts";
import { onInterrupt } from "../src/cli/interrupt.ts";
import { lineOf } from "../src/cli/scenario-run.ts";
import { seconds } from "../src/machine/progress.ts";
import { runScenario, type StepReport, unfit } from "../src/scenario/run.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { withApi } from "../src/scenario/with-api.ts";
import { namedBy, scenarioFiles } from "./scenario-files.ts";
import { StepFailed, Steps } from "./steps.ts";
import "./pulse.ts";

type File = Awaited<ReturnType<typeof scenarioFiles>>[number];

const usage = `npm run scenarios [-- PATTERN...] [--labs N] [--kubernetes]
  PATTERN       a name: that one alone; else all with this in their name
  --labs        how many labs at once, 1 to 8 (1): each wants a core of its own
  --kubernetes  those of the lab alone, each on machines with Kubernetes and with clients of its API
`;

interface Asked {
  readonly patterns: readonly string[];
  readonly labs: number;
  readonly kubernetes: boolean;
}

/** `npm run scenarios`: all that can run here, first in the simulator, then in the lab, and a table. */
async function main(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  if (asked === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  const { patterns, labs, kubernetes } = asked;
  const steps = new Steps();
  const named = namedBy(patterns, await scenarioFiles());
  const all = kubernetes ? named.filter(({ scenario }) => isForLab(scenario)).map(onKubernetes) : named;
  if (all.length === 0) {
    steps.progress.say(`no scenario has ${patterns.join(" or ")} in its name`);
    return 2;
  }
  onInterrupt("what was played is told below; the labs are taken away", () => {
    process.stderr.write(`\n${steps.table()}`);
    for (const name of labNames(labs))
      if (!takeDownNow(name))
        process.stderr.write(`${name} is left: \`./${labHint(name, "down")}\` takes it away\n`);
  });
  for (const file of all) if (file.scenario.header.worlds.includes("sim")) await inSim(steps, file);
  await inLab(steps, all, labs);
  const run = steps.outcomes.filter(({ end }) => end !== "not run").length;
  process.stderr.write(
    `\n${steps.table()}  ${run} of ${steps.outcomes.length} run, ${steps.failed ? "failed" : "passed"} in ${seconds(steps.progress.total_ms)}\n`,
  );
  if (steps.failed) return 1;
  return run === 0 ? 3 : 0;
}

const labNames = (labs: number): readonly string[] =>
  labs === 1 ? ["scenarios"] : Array.from({ length: labs }, (_, lab) => `scenarios-${lab + 1}`);

const isForLab = ({ header: { worlds } }: Scenario): boolean => worlds.includes("lab");

const onKubernetes = ({ name, scenario }: File): File => ({ name, scenario: withApi(scenario) });

/** Undefined: they can't be understood. */
function readArguments(args: readonly string[]): Asked | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { labs: { type: "string", default: "1" }, kubernetes: { type: "boolean", default: false } },
    });
    if (!/^[1-8]$/.test(values.labs)) return undefined;
    return { patterns: positionals, labs: Number(values.labs), kubernetes: values.kubernetes };
  } catch {
    return undefined;
  }
}

/** There are many, and each takes no time: only those that fail are told step by step. */
async function inSim(steps: Steps, { name, scenario }: File): Promise<void> {
  const world = simWorld(scenario);
  if (unfit(scenario, world).length > 0) {
    steps.notRun(`sim: ${name}`, "not yet: needs what the simulator leaves out");
    return;
  }
  await steps.quiet(`sim: ${name}`, async () => {
    const told: string[] = [];
    const note = (step: StepReport) => {
      told.push(lineOf(step));
    };
    const { ok, problems } = await runScenario(scenario, world, { begins: () => undefined, ends: note });
    if (ok) return "";
    process.stdout.write(`\n${name}: ${scenario.header.title}\n${told.join("\n")}\n`);
    throw new StepFailed(problems.map(({ where, what }) => `${where}: ${what}`).join("; "));
  });
}

async function inLab(steps: Steps, all: readonly File[], labs: number): Promise<void> {
  const can = canHost();
  const ready: Scenario[] = [];
  for (const { name, scenario } of all) {
    if (!isForLab(scenario)) continue;
    const [lack] = lackedByLab(scenario, steps.progress);
    if (lack !== undefined) steps.notRun(`lab: ${name}`, lack);
    else if (!can.ok) steps.notRun(`lab: ${name}`, can.why);
    else ready.push(scenario);
  }
  for (const { scenarios } of groupByLab(ready)) {
    // Each lab takes the next one when it has done its own.
    const next = scenarios.values();
    await Promise.all(
      labNames(labs)
        .slice(0, scenarios.length)
        .map((lab) => runGroup(steps, lab, next, labs > 1)),
    );
  }
}

async function runGroup(
  steps: Steps,
  lab: string,
  scenarios: Iterable<Scenario>,
  besideOthers: boolean,
): Promise<void> {
  await inOneLab(lab, scenarios, steps.progress, async (scenario, run) => {
    const name = scenario.file.replace(/^scenarios\/|\.txt$/g, "");
    process.stdout.write(`\n${name}: ${scenario.header.title}\n`);
    return await steps.quiet(`lab: ${name}`, async () => {
      const { ok, problems } = await run({
        begins: () => undefined,
        ends: (step) => {
          process.stdout.write(`${besideOthers ? `${name}:` : ""}${lineOf(step)}\n`);
        },
      });
      if (ok) return "";
      throw new StepFailed(problems.map(({ where, what }) => `${where}: ${what}`).join("; "));
    });
  });
}

process.exitCode = await main(process.argv.slice(2));
