import assert from "node:assert/strict";
import { test } from "node:test";
import { Progress } from "../src/machine/progress.ts";
import { parseScenario } from "../src/scenario/parse.ts";
import type { Scenario } from "../src/scenario/scenario.ts";
import { lackedByLab } from "./scenario-labs.ts";

function parsed(text: string): Scenario {
  const { scenario, problems } = parseScenario(text, "x.txt");
  assert.ok(scenario !== undefined, problems.map(({ what }) => what).join());
  return scenario;
}
const lacks = (text: string) => lackedByLab(parsed(text), new Progress()).join();

test("steps about the API need a site with Kubernetes, and the lab has one for who asks", () => {
  const story = "start both machines\nAPI clients write\nkill the API server on node1\n";
  assert.equal(lacks(`kubernetes\n${story}`), "");
  assert.match(lacks(story), /has no API: `API clients write`/);
  assert.match(lacks(story), /run no apiserver/);
});
