import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Holding } from "../decide/facts.ts";
import { startPlain } from "./start.ts";
import { runSteps } from "./steps.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";

/** The only voter of epoch 5, which boots with nobody there; it has noted that epochs up to 7 stand for nothing. */
function alone(): FakeWorld {
  const sole: Holding = {
    ...empty,
    data: true,
    standing: "voter",
    soleVoter: true,
    full: true,
    lineage: { epoch: 5, owner: "a" },
    settled: { mine: 7, theirs: 7 },
  };
  const world = new FakeWorld();
  world.state = pick(sole);
  world.log = { ...logOf(sole), committed: false };
  world.peer = { ...world.peer, on: false, member: false };
  world.boot = { ...world.boot, heard: false };
  return world;
}

test("who starts alone is told of by one BMC at least; a tag that stands for nothing tells of it too", async () => {
  const blank = alone();
  assert.deepEqual(await runSteps(startPlain(blank.effects, fast)), { done: true });
  assert.deepEqual(blank.tags.mine, { epoch: 5, owner: "a" });

  const both = alone();
  both.tags = { mine: { epoch: 6, owner: "a" }, theirs: { epoch: 7, owner: "b" } };
  assert.deepEqual(await runSteps(startPlain(both.effects, fast)), { done: true });
  assert.deepEqual(both.tags.theirs, { epoch: 7, owner: "b" }, "a tag is never lowered");

  const dead = alone();
  for (const bmc of ["mine", "theirs"] as const) dead.dead.add(bmc);
  assert.equal((await runSteps(startPlain(dead.effects, fast))).done, false);
  assert.equal(dead.etcd.running, false);
});

test("a tag that was raised since the decision ends a lone start, also where the other BMC takes its own", async () => {
  const world = alone();
  const { effects } = world;
  const facts = { ...world.facts() };
  world.tags = { mine: undefined, theirs: { epoch: 8, owner: "b" } };
  const end = await runSteps(startPlain({ ...effects, facts: async () => facts }, fast));
  assert.equal(end.done, false);
  assert.equal(world.etcd.running, false);
});

test("who alone has a vote is told to elect itself; not where its log names another, who may have one by an entry of unknown fate", async () => {
  for (const others of ["", "2"]) {
    const world = alone();
    world.log = { ...world.log, others };
    const steps: string[] = [];
    const end = await runSteps(startPlain(world.effects, fast), (step) => steps.push(step));
    assert.deepEqual(end, { done: true });
    assert.equal(steps.includes("begin the election"), others === "", steps.join(", "));
  }
});
