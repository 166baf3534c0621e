import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../decide/decide.ts";
import type { Lineage } from "../decide/facts.ts";
import type { Bmc } from "./effects.ts";
import { perform } from "./perform.ts";
import { startPlain } from "./start.ts";
import { runSteps } from "./steps.ts";
import { fast, type FakeWorld } from "./testing.ts";
import { lineage as five, voter, world as pair } from "./testing-pair.ts";

/** The peer was lost and proven off, and these tags stand there. */
function provenOff(tags: Record<Bmc, Lineage>): FakeWorld {
  const world = pair(voter, voter);
  world.peer = { ...world.peer, on: false, member: false };
  world.boot = { ...world.boot, proven: true };
  world.tags = tags;
  return world;
}

test("whose Off is proven may have served by a word that was not true: its tag stays, however often a takeover is tried", async () => {
  const six = { epoch: 6, owner: "b" };
  const world = provenOff({ mine: six, theirs: six });
  // Slow BMCs: a look has no time for their tags, and the takeover has.
  const unread = { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } } as const;
  const effects = { ...world.effects, facts: async () => ({ ...world.facts(), tags: unread }) };
  for (const epoch of [6, 7, 8]) {
    const facts = await effects.facts();
    const { decision } = decide("start", facts);
    assert.deepEqual(decision, { do: "take-over", epoch });
    const steps = perform(effects, fast, facts, decision);
    const end = steps && (await runSteps(steps));
    assert.match(end?.done === false ? end.why : "", /another takeover came first/);
    assert.deepEqual([world.tags, world.state.lineage], [{ mine: six, theirs: six }, five]);
  }
});

test("a machine that only starts again leaves a tag that may stand for newer data, though its number is lower", async () => {
  const own = { epoch: 2_000_000, owner: "a" };
  const world = provenOff({ mine: own, theirs: { epoch: 1_000_000, owner: "b" } });
  world.state = { ...world.state, lineage: own };
  world.log = { ...world.log, soleVoter: true };
  world.boot = { ...world.boot, heard: false };
  const end = await runSteps(startPlain(world.effects, fast));
  assert.equal(end.done, false);
  assert.deepEqual(world.tags.theirs, { epoch: 1_000_000, owner: "b" });
});

test("who serves leaves a claim that came up since its look, though its number is lower", async () => {
  const own = { epoch: 2_000_000, owner: "a" };
  const claim = { epoch: 1_000_000, owner: "b" };
  const world = pair(voter, voter);
  world.state = { ...world.state, lineage: own };
  world.log = { ...world.log, soleVoter: true };
  world.peer = { ...world.peer, on: false, member: false };
  world.boot = { ...world.boot, heard: false };
  world.tags = { mine: own, theirs: five };
  const facts = world.facts();
  const { decision } = decide("tags", facts);
  assert.deepEqual(decision, { do: "write-tags", bmcs: ["theirs"] });
  world.tags = { mine: own, theirs: claim };
  const steps = perform(world.effects, fast, facts, decision);
  assert.deepEqual(steps && (await runSteps(steps)), { done: true });
  assert.deepEqual(world.tags.theirs, claim);
  assert.deepEqual(decide("tags", world.facts()).decision, { do: "stop-and-alarm" });

  world.tags = { mine: own, theirs: five };
  const again = perform(world.effects, fast, facts, decision);
  assert.deepEqual(again && (await runSteps(again)), { done: true });
  assert.deepEqual(world.tags.theirs, own, "one that is behind is raised");
});
