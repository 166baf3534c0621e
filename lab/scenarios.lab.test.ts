import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Progress } from "../src/machine/progress.ts";
import { parseScenario } from "../src/scenario/parse.ts";
import { runScenario } from "../src/scenario/run.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { checkoutFolder } from "./checkout.ts";
import { takeDown } from "./down.ts";
import { groupByLab, runsInLab } from "./scenario-labs.ts";
import { labWorld } from "./scenario-world.ts";
import { ownLabsFolder, traces } from "./testing.ts";

/** The scenarios that are marked for CI and can run in the lab today, in one lab: each begins with two whole machines. */
ownLabsFolder();
const name = "main";
const progress = new Progress();
let was: readonly string[] = [];

const folder = join(checkoutFolder(), "scenarios");
const scenarios = readdirSync(folder)
  .filter((file) => file.endsWith(".txt"))
  .flatMap((file): readonly Scenario[] => {
    const { scenario } = parseScenario(readFileSync(join(folder, file), "utf8"), `scenarios/${file}`);
    return scenario?.header.ci === true && runsInLab(scenario, progress) ? [scenario] : [];
  });

before(async () => {
  was = await traces();
});
after(async () => {
  await takeDown(name);
  assert.deepEqual(await traces(), was, "the scenarios' lab left something behind");
});

test("there are scenarios for CI, and one lab does for all of them", () => {
  assert.ok(scenarios.length >= 2);
  assert.equal(groupByLab(scenarios).length, 1);
});

for (const scenario of scenarios) {
  test(`${scenario.file}: ${scenario.header.title}`, async () => {
    const world = labWorld({ name, header: scenario.header, progress, reuse: true });
    try {
      const told: string[] = [];
      const { ok, problems } = await runScenario(scenario, world, {
        begins: () => undefined,
        ends: (step) => {
          told.push(`${(step.to_ms / 1000).toFixed(1)} s  ${step.text}  ${step.seen}`);
        },
      });
      assert.ok(ok, [...told, ...problems.map(({ where, what }) => `${where}: ${what}`)].join("\n"));
    } finally {
      await world.close();
    }
  });
}
