import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { type Report, runScenario, type ScenarioResult, unfit } from "../../src/scenario/run.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";
import { effectsOf } from "../agents/effects.ts";
import { Life } from "../kernel/life.ts";
import { simWorld } from "./world.ts";

/** Stories that end otherwise than they should, because the agents do. Each is a fault to mend; this list may only get shorter. */
const open: Readonly<Record<string, string>> = {};

const folder = join(import.meta.dirname, "..", "..", "scenarios");
const scenarios: readonly { readonly name: string; readonly scenario: Scenario }[] = readdirSync(
  folder,
).flatMap((file) => {
  const { scenario } = parseScenario(readFileSync(join(folder, file), "utf8"), `scenarios/${file}`);
  return scenario?.header.worlds.includes("sim") === true
    ? [{ name: file.replace(/\.txt$/, ""), scenario }]
    : [];
});
const fits = ({ scenario }: (typeof scenarios)[number]): boolean =>
  unfit(scenario, simWorld(scenario)).length === 0;

const silent: Report = { begins: () => undefined, ends: () => undefined };
const run = (scenario: Scenario, seed?: number): Promise<ScenarioResult> =>
  runScenario(
    scenario,
    simWorld({ header: scenario.header, ...(seed === undefined ? {} : { seed }) }),
    silent,
  );

const told = ({ steps, problems }: ScenarioResult): string =>
  [
    ...steps.map(({ to_ms, text, seen }) => `${(to_ms / 1000).toFixed(1).padStart(8)} s  ${text}  ${seen}`),
    ...problems.map(({ where, what }) => `${where}: ${what}`),
  ].join("\n");

for (const { name, scenario } of scenarios.filter(fits))
  test(`${name}: ${scenario.header.title}`, async () => {
    const result = await run(scenario);
    assert.equal(result.ok, open[name] === undefined, told(result));
    // The same text, the same run.
    assert.deepEqual(await run(scenario), result);
  });

test("the simulator can tell every story that is for it", (t) => {
  const refused = scenarios.filter((each) => !fits(each)).map(({ name }) => name);
  assert.deepEqual(refused, []);
  assert.ok(Object.keys(open).every((name) => scenarios.some((each) => each.name === name)));
  const waiting = Object.keys(open);
  t.diagnostic(`${scenarios.length - waiting.length} of ${scenarios.length} stories end as told`);
  if (waiting.length > 0) t.diagnostic(`to be mended: ${waiting.join(", ")}`);
});

test("a story that loses something fails at the step in which that came, with the check's sentence", async () => {
  const text = "# A\nstart both machines\nuntil 1+1\nclients write\nwait 2 minutes\nexpect nothing lost\n";
  const { scenario } = parseScenario(text, "a.txt");
  assert.ok(scenario);
  const world = simWorld(scenario);
  world.stage.world.kernel.after(90_000_000, () => {
    world.stage.world.kernel.fail("one dataset", "staged by this test");
  });
  const { ok, steps } = await runScenario(scenario, world, silent);
  assert.equal(ok, false);
  assert.equal(steps.at(-1)?.text, "wait 2 minutes");
  assert.equal(steps.at(-1)?.seen, "one dataset: staged by this test");
});

test("another seed is another run", async () => {
  const story = scenarios.find(({ name }) => name === "node-failure");
  assert.ok(story);
  const [one, other] = [await run(story.scenario, 1), await run(story.scenario, 2)];
  assert.ok(one.ok && other.ok);
  assert.notDeepEqual(one.steps, other.steps);
});

for (const seed of [2, 3, 4])
  test(`the stories that are marked for CI end as told with seed ${seed} too`, async () => {
    const marked = scenarios.filter((each) => each.scenario.header.ci && fits(each));
    assert.ok(marked.length >= 5);
    for (const { scenario } of marked) {
      const result = await run(scenario, seed);
      assert.ok(result.ok, told(result));
    }
  });

test("two admins at once: each machine commands in its turn, from the word on, and one is left", async () => {
  const story = scenarios.find(({ name }) => name === "admin-both-at-once");
  assert.ok(story);
  // In these the two guards look a turn apart: were it theirs to switch the other off, they would do it in the same moment.
  for (const seed of [3, 7, 10, 12]) {
    const result = await run(story.scenario, seed);
    assert.ok(result.ok, told(result));
  }
});

test("the race is counted from the membership, and not from the quorum that is granted in it", async () => {
  const { scenario } = parseScenario(
    "# A\nstart node1\nuntil node1 is inert\nwait 30 seconds\nthe admin grants quorum to node1 by hand\nwait 1 second\n",
    "a.txt",
  );
  assert.ok(scenario);
  const { stage, ...world } = simWorld(scenario);
  assert.ok((await runScenario(scenario, { ...world }, silent)).ok);
  const { quorum } = effectsOf(stage.node(0), new Life(stage.world.machine(0).life));
  const [loss] = await Promise.all([quorum.loss(), stage.run(1_000_000)]);
  assert.ok(loss.ok && (loss.value?.since_ms ?? 0) > 30_000, JSON.stringify(loss));
});

test("a moment that never comes, and an expectation that does not hold, fail", async () => {
  const unmet = parseScenario(
    "# A\nworlds: sim\nstart both machines\nuntil 1+1\nat the intent: cut the power of node1\nwait 1 second\n",
    "a.txt",
  ).scenario;
  const wrong = parseScenario("# B\nstart both machines\nuntil 1+1\nexpect 1+0\n", "b.txt").scenario;
  assert.ok(unmet && wrong);
  assert.match((await run(unmet)).problems[0]?.what ?? "", /the moment never came: the intent/);
  assert.match((await run(wrong)).problems[0]?.what ?? "", /`expect 1\+0` failed: .* 2 voters/);
});
