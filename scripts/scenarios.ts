import { canHost } from "../lab/host.ts";
import { groupByLab, inOneLab, lackedByLab } from "../lab/scenario-labs.ts";
import { simWorld } from "../sim/scenario/world.ts";
import { lineOf } from "../src/cli/scenario-run.ts";
import { seconds } from "../src/machine/progress.ts";
import { runScenario, type StepReport, unfit } from "../src/scenario/run.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { scenarioFiles } from "./scenario-files.ts";
import { StepFailed, Steps } from "./steps.ts";

type File = Awaited<ReturnType<typeof scenarioFiles>>[number];

/**
 * `npm run scenarios`: all that can run here, first in the simulator, then in the lab, and a table. `npm run scenarios --
 * PATTERN...`: those with a pattern in their name.
 */
async function main(patterns: readonly string[]): Promise<number> {
  const steps = new Steps();
  const all = (await scenarioFiles()).filter(
    ({ name }) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern)),
  );
  if (all.length === 0) {
    steps.progress.say(`no scenario has ${patterns.join(" or ")} in its name`);
    return 2;
  }
  for (const file of all) if (file.scenario.header.worlds.includes("sim")) await inSim(steps, file);
  await inLab(steps, all);
  const run = steps.outcomes.filter(({ end }) => end !== "not run").length;
  process.stderr.write(
    `\n${steps.table()}  ${run} of ${steps.outcomes.length} run, ${steps.failed ? "failed" : "passed"} in ${seconds(steps.progress.total_ms)}\n`,
  );
  if (steps.failed) return 1;
  return run === 0 ? 3 : 0;
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

async function inLab(steps: Steps, all: readonly File[]): Promise<void> {
  const can = canHost();
  const ready: Scenario[] = [];
  for (const { name, scenario } of all) {
    if (!scenario.header.worlds.includes("lab")) continue;
    const [lack] = lackedByLab(scenario, steps.progress);
    if (lack !== undefined) steps.notRun(`lab: ${name}`, lack);
    else if (!can.ok) steps.notRun(`lab: ${name}`, can.why);
    else ready.push(scenario);
  }
  for (const { scenarios } of groupByLab(ready)) await runGroup(steps, scenarios);
}

async function runGroup(steps: Steps, scenarios: readonly Scenario[]): Promise<void> {
  await inOneLab("scenarios", scenarios, steps.progress, async (scenario, run) => {
    const name = scenario.file.replace(/^scenarios\/|\.txt$/g, "");
    process.stdout.write(`\n${name}: ${scenario.header.title}\n`);
    return await steps.quiet(`lab: ${name}`, async () => {
      const { ok, problems } = await run({
        begins: () => undefined,
        ends: (step) => {
          process.stdout.write(`${lineOf(step)}\n`);
        },
      });
      if (ok) return "";
      throw new StepFailed(problems.map(({ where, what }) => `${where}: ${what}`).join("; "));
    });
  });
}

process.exitCode = await main(process.argv.slice(2));
