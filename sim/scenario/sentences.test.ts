import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rule } from "../../src/decide/rule.ts";
import { tables } from "../../src/decide/rules.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import { noPlant } from "../plants.ts";
import { isWhole } from "./whole.ts";
import { simWorld } from "./world.ts";

const silent = { begins: () => undefined, ends: () => undefined };

/** The last step that a story came to, where two voters that see each other call for a person. */
async function lastOf(...lines: readonly string[]) {
  const { scenario } = parseScenario(`# A\n${lines.join("\n")}\n`, "a.txt");
  assert.ok(scenario);
  const world = simWorld(scenario);
  const rules = tables.start.rules.map(
    (rule): Rule => (rule.id === "R-BOTH-VOTERS" ? { ...rule, decide: () => ({ do: "needs-human" }) } : rule),
  );
  const plant = { ...noPlant, tables: { ...tables, start: { ...tables.start, rules } } };
  Object.assign(world.stage.site, { plant });
  const { steps } = await runScenario(scenario, world, silent);
  return steps.at(-1);
}

const again = [
  "start both machines",
  "until 1+1",
  "cut the power of both machines",
  "power on both machines",
];

test("a machine that calls for a person without a reason fails the step in which it does, with its sentence", async () => {
  const waits = await lastOf(...again, "wait 3 minutes", "expect nobody serves");
  assert.deepEqual([waits?.text, waits?.ok], ["wait 3 minutes", false]);
  assert.match(
    waits?.seen ?? "",
    /^a reason that is not true: R-BOTH-VOTERS calls a person, and .*says: both/,
  );
});

test("a story that ended whole has to stay whole for a while", async () => {
  const { scenario } = parseScenario("# A\nstart both machines\nuntil 1+1\n", "a.txt");
  assert.ok(scenario);
  const world = simWorld(scenario);
  const { stage } = world;
  const { kernel } = stage.world;
  kernel.once(
    // The site was whole before, too: when it was set up.
    () => stage.lineageBefore !== undefined && isWhole(stage.world, stage.site),
    () => kernel.after(10_000_000, () => stage.world.cutPower(1)),
  );
  const { ok, steps, problems } = await runScenario(scenario, world, silent);
  assert.deepEqual([ok, steps.every((step) => step.ok)], [false, true]);
  assert.match(problems[0]?.what ?? "", /^behind its last step: not calm 25 s later; node1 is on/);
});

test("what a story reads has to be so at once", async () => {
  const reads = 'until node1 refuses and says "both machines are voters"';
  const seen = await lastOf(...again, reads);
  assert.deepEqual([seen?.text, seen?.ok], [reads, false]);
  assert.match(seen?.seen ?? "", /^R-BOTH-VOTERS calls a person/);
});
