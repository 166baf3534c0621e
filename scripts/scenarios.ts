import { canHost } from "../lab/host.ts";
import { groupByLab, inOneLab, runsInLab } from "../lab/scenario-labs.ts";
import { lineOf } from "../src/cli/scenario-run.ts";
import { seconds } from "../src/machine/progress.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { scenarioFiles } from "./scenario-files.ts";
import { StepFailed, Steps } from "./steps.ts";

/** `npm run scenarios`: all that can run here, and a table. `npm run scenarios -- PATTERN...`: those with a pattern in their name. */
async function main(patterns: readonly string[]): Promise<number> {
  const steps = new Steps();
  const all = (await scenarioFiles()).filter(
    ({ name }) => patterns.length === 0 || patterns.some((pattern) => name.includes(pattern)),
  );
  if (all.length === 0) {
    steps.progress.say(`no scenario has ${patterns.join(" or ")} in its name`);
    return 2;
  }
  const can = canHost();
  const ready: Scenario[] = [];
  for (const { name, scenario } of all) {
    if (!runsInLab(scenario, steps.progress))
      steps.notRun(name, "not yet: needs etcd or the simulated agents");
    else if (!can.ok) steps.notRun(name, can.why);
    else ready.push(scenario);
  }
  for (const { scenarios } of groupByLab(ready)) await runGroup(steps, scenarios);
  process.stderr.write(
    `\n${steps.table()}  ${ready.length} of ${all.length} run, ${steps.failed ? "failed" : "passed"} in ${seconds(steps.progress.total_ms)}\n`,
  );
  if (steps.failed) return 1;
  return ready.length === 0 ? 3 : 0;
}

async function runGroup(steps: Steps, scenarios: readonly Scenario[]): Promise<void> {
  await inOneLab("scenarios", scenarios, steps.progress, async (scenario, run) => {
    const name = scenario.file.replace(/^scenarios\/|\.txt$/g, "");
    process.stdout.write(`\n${name}: ${scenario.header.title}\n`);
    await steps.quiet(name, async () => {
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
