import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Holding } from "../decide/facts.ts";
import { type Effects, failed } from "./effects.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";
import { work } from "./work.ts";

const voter: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  lineage: { epoch: 5, owner: "b" },
  full: true,
};

/** Its peer left with a goodbye, and Pacemaker will not fence it (R-NO-FENCE). */
function left(bmc: Partial<Effects["bmc"]> = {}): { readonly world: FakeWorld; readonly effects: Effects } {
  const world = new FakeWorld();
  world.state = { ...pick(voter), turn: 0 };
  world.log = { ...logOf(voter), committed: false };
  world.peer = { ...world.peer, member: false, holding: voter };
  world.boot = { ...world.boot, quorum: true };
  const { effects } = world;
  const facts = async () => ({ ...(await effects.facts()), fencePending: false });
  return { world, effects: { ...effects, facts, bmc: { ...effects.bmc, ...bmc } } };
}

async function unfenced(effects: Effects): Promise<readonly string[]> {
  const told: string[] = [];
  await work(effects, fast, {
    repeat: false,
    peerFirst: async () => false,
    log: () => undefined,
    fenceFailed: (why) => void told.push(why),
  });
  return told;
}

test("a fence that nobody of Pacemaker's asked for is told where it fails", async () => {
  const refusing = left({ commandOff: async () => failed("refused", "not now") });
  assert.deepEqual(await unfenced(refusing.effects), ["the fence: not now"]);
  const { world, effects } = left();
  assert.deepEqual(await unfenced(effects), []);
  assert.equal(world.boot.proven, true);
});

test("a peer that is back before it was switched off needs no fence: nothing failed", async () => {
  const { world, effects } = left({
    commandOff: async () => {
      world.peer = { ...world.peer, member: true };
      return failed("refused", "not now");
    },
  });
  assert.deepEqual(await unfenced(effects), []);
});
