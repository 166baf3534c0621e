import assert from "node:assert/strict";
import { test } from "node:test";
import { plants, withoutMistake } from "./plants.ts";
import { stormKinds } from "./storm-kinds.ts";

/** Those that were promised by name. */
const promised = [
  "plain-force-new-cluster",
  "promote-window",
  "epoch-without-owner",
  "epoch-own-plus-one",
  "notify-is-proof",
  "learner-takes-over",
  "removed-takes-over",
  "force-flag-stays",
  "equal-delays",
  "delay-from-leadership",
  "leave-without-read",
  "epoch-not-synced",
  "erase-before-seen",
  "cluster-id-shows-divergence",
  "success-before-off",
  "alone-without-witness",
  "tag-before-off",
  "tag-by-fence-agent",
  "tag-lowered-by-retry",
  "tag-forgotten",
  "read-one-bmc",
  "admin-word-beats-tag",
  "served-after-start",
  "both-leave-at-once",
  "cached-off",
  "refused-off-counts",
  "learner-fences",
];

test("every plant has a name of its own, and all that were promised are there", () => {
  const names = plants.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(
    promised.filter((name) => !names.includes(name)),
    [],
  );
});

test("a plant favours only what comes without it too, in storms of its kind", () => {
  const faultsOf = (kind: string) =>
    stormKinds.flatMap(({ name, faults }) => (name === kind ? faults.map((fault) => fault.name) : []));
  const kinds = new Set(stormKinds.map(({ name }) => name));
  for (const { name, favours = [], kind = "plain" } of plants) {
    const ordinary = new Set(faultsOf(kind));
    assert.deepEqual(
      favours.filter((fault) => !ordinary.has(fault)),
      [],
      name,
    );
    assert.ok(kinds.has(kind), name);
  }
});

test("without its mistake a plant changes nothing but the storms", () => {
  for (const plant of plants) {
    const { tables, effects, agent, times, world, favours } = withoutMistake(plant);
    assert.deepEqual([tables, effects, agent, times, world], Array(5).fill(undefined));
    assert.deepEqual(favours, plant.favours);
  }
});

test("every plant is a mistake", () => {
  for (const { name, tables, effects, agent, times, world } of plants)
    assert.ok(
      [tables, effects, agent, times, world].some((part) => part !== undefined),
      name,
    );
});
