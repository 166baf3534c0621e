import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Progress } from "../src/machine/progress.ts";
import { takeDown } from "./down.ts";
import { groupByLab } from "./scenario-labs.ts";
import { ownLabsFolder, traces } from "./testing.ts";
import { playScenario, scenariosForCi } from "./testing-scenarios.ts";

/**
 * The scenarios for CI, in one lab: each begins with two whole machines. Those with Kubernetes are in kubernetes.lab.test.ts, when it
 * is built.
 */
ownLabsFolder();
const name = "main";
const progress = new Progress();
let was: readonly string[] = [];

const scenarios = scenariosForCi(progress, false);

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

for (const scenario of scenarios)
  test(`${scenario.file}: ${scenario.header.title}`, () => playScenario(name, scenario, progress));
