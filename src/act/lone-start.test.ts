import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Holding, no_word } from "../decide/facts.ts";
import { done, type Effects } from "./effects.ts";
import { loneStart } from "./lone-start.ts";
import { runSteps } from "./steps.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";
import { work } from "./work.ts";

const lineage = { epoch: 5, owner: "b" };
const voter: Holding = { ...empty, data: true, standing: "voter", lineage, full: true };

test("a lone machine waits its delay before each way, and not between the outlets of one", async () => {
  const world = new FakeWorld();
  world.state = { ...pick(voter), turn: 1 };
  world.log = { ...logOf(voter), committed: false };
  world.peer = { ...world.peer, member: false, on: false, holding: voter };
  world.tags = { mine: lineage, theirs: lineage };
  world.boot = { ...world.boot, heard: false, proven: false, quorum: false };
  const said: string[] = [];
  const { effects } = world;
  const bmc: Effects["bmc"] = {
    ...effects.bmc,
    offWays: [["outlet 1", "outlet 2"]],
    commandOff: async (at) => {
      said.push(at);
      return done;
    },
  };
  const pause = async (ms: number) => {
    if (ms >= fast.turn_ms) said.push("waits");
  };
  assert.deepEqual(await runSteps(loneStart({ ...effects, bmc, pause }, fast)), { done: true });
  assert.deepEqual(said, ["waits", "outlet 1", "outlet 2"]);
});

/** Its admin said that the peer is down, while no BMC answered; Pacemaker has started the resource on that. */
function startedByWord(): { readonly world: FakeWorld; readonly started: Effects } {
  const world = new FakeWorld();
  world.state = { ...pick(voter), turn: 1 };
  world.log = { ...logOf(voter), committed: false };
  world.peer = { ...world.peer, member: false, on: false, holding: voter };
  world.tags = { mine: lineage, theirs: lineage };
  world.boot = { ...world.boot, heard: false, proven: false, quorum: true };
  world.word = { ...no_word, peerDown: true, accept: "unknown" };
  const { effects } = world;
  const facts = async () => ({ ...(await effects.facts()), fencePending: false, started: true });
  return { world, started: { ...effects, facts } };
}

const look = { repeat: false, peerFirst: async () => false, log: () => undefined };

test("a machine that was started on a word switches the peer off itself once its BMC answers: the guard has ended", async () => {
  for (const on of [false, true]) {
    const { world, started } = startedByWord();
    world.peer = { ...world.peer, on };
    const { decision } = started.decide("start", await started.facts());
    assert.equal(decision.do, "prove-off");
    assert.equal(await work(started, fast, look), true);
    assert.equal(world.boot.proven, true);
    assert.equal(world.peer.on, false);
  }
});

test("before Pacemaker has started the resource, a lone start stays the guard's", async () => {
  const { world } = startedByWord();
  const facts = async () => ({ ...(await world.effects.facts()), started: false });
  assert.equal(await work({ ...world.effects, facts }, fast, look), false);
  assert.equal(world.boot.proven, false);
});

test("a takeover after an accepted loss that no BMC takes a tag for keeps its epoch, however often it is tried", async () => {
  const { world, started } = startedByWord();
  world.dead.add("mine");
  world.dead.add("theirs");
  const epochs = new Set<number | undefined>();
  for (let tries = 0; tries < 5; tries++) {
    await work(started, fast, look);
    epochs.add(world.state.takeover?.epoch);
  }
  assert.deepEqual([...epochs], [1_000_000]);
});
