import assert from "node:assert/strict";
import { test } from "node:test";
import { explore, story } from "./kernel/explore.ts";
import { stormKinds } from "./storm-kinds.ts";
import { newTally, stormRunner } from "./storm.ts";

test("storms over duet's own rules and steps: nothing is lost, and the pair is whole again", async (t) => {
  const tally = newTally();
  const { found, schedules } = await explore(stormRunner(undefined, tally), { seed: 1, schedules: 300 });
  assert.equal(found, undefined, JSON.stringify(found));
  // Of each single storm, not on average.
  assert.ok(tally.least.faults >= 3, `${tally.least.faults} faults in a storm`);
  assert.ok(tally.least.operations >= 200, `${tally.least.operations} operations in a storm`);
  assert.ok(tally.least.returns >= 1, "a storm without an outage");
  assert.ok(tally.fired.size >= 55, `${tally.fired.size} rules fired`);
  assert.ok(tally.calls.size >= 4 && tally.losses > 0, "no person was needed");
  t.diagnostic(
    `${schedules} schedules, ${tally.acknowledged} acknowledged writes, ${tally.fired.size} rules fired, ` +
      `${tally.losses} accepted losses`,
  );
});

test("a storm repeats byte for byte", async () => {
  const run = stormRunner();
  const lines = async () => (await story(run, { seed: 7 })).join("\n");
  assert.equal(await lines(), await lines());
});

test("planned work comes in every kind of storm: maintenance, and standby with what comes in the middle of it", () => {
  for (const { name, faults } of stormKinds)
    for (const what of [
      /^maintenance/,
      /on standby for some time/,
      /on standby, and the peer/,
      /on standby, loses its power/,
      /both machines are put/,
    ])
      assert.ok(
        faults.some((fault) => what.test(fault.name)),
        `${name}: ${what}`,
      );
});

test("half of all storms lose nothing for which a person is needed, and no two faults share a name", () => {
  const plain = stormKinds.filter(({ heals, outlasts }) => heals && !outlasts);
  assert.ok(plain.length * 2 >= stormKinds.length);
  for (const { faults } of stormKinds) {
    const different = new Set(faults);
    assert.equal(new Set([...different].map(({ name }) => name)).size, different.size);
    assert.ok(different.size > 40);
  }
});
