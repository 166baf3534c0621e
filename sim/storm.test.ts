import assert from "node:assert/strict";
import { test } from "node:test";
import { explore, shrinkFound, story } from "./kernel/explore.ts";
import { plants } from "./plants.ts";
import { newTally, stormRunner } from "./storm.ts";

test("storms over duet's own rules and steps: nothing is lost, and the pair is whole again", async (t) => {
  const tally = newTally();
  const { found, schedules } = await explore(stormRunner(undefined, tally), { seed: 1, schedules: 300 });
  assert.equal(found, undefined, JSON.stringify(found));
  assert.ok(tally.operations / schedules > 200, `${tally.operations} operations`);
  assert.ok(tally.faults / schedules >= 3);
  assert.ok(tally.fired.size > 35, `${tally.fired.size} rules fired`);
  t.diagnostic(
    `${schedules} schedules, ${tally.acknowledged} acknowledged writes, ${tally.fired.size} rules fired`,
  );
});

test("a storm repeats byte for byte", async () => {
  const run = stormRunner();
  const lines = async () => (await story(run, { seed: 7 })).join("\n");
  assert.equal(await lines(), await lines());
});

/** Some mistakes need a rare moment: their search begins near one. */
const near: Readonly<Record<string, number>> = { "promote-window": 120, "learner-takes-over": 100 };

for (const plant of plants)
  test(`the plant ${plant.name} is found`, async (t) => {
    const seed = near[plant.name] ?? 1;
    const { found, schedules } = await explore(stormRunner(plant), { seed, schedules: 400 });
    assert.ok(found, `not within ${schedules} schedules`);
    // It is the plant that was found, and nothing that is wrong without it.
    const clean = await stormRunner()({ seed: found.seed }, { trace: false });
    assert.equal(clean.violation, undefined);
    t.diagnostic(`after ${schedules} schedules: ${found.violation.check}`);
  });

test("what was found is shrunk to a schedule that breaks the same", async () => {
  const [plant] = plants;
  const run = stormRunner(plant);
  const { found } = await explore(run, { seed: 1, schedules: 100 });
  assert.ok(found);
  const small = await shrinkFound(run, found, 60);
  assert.ok((small.choices?.length ?? 0) <= found.choices.length);
  assert.equal((await run(small, { trace: false })).violation?.check, found.violation.check);
});
