import assert from "node:assert/strict";
import { test } from "node:test";
import { type Effects, failed, success } from "./effects.ts";
import { promoteLearner } from "./full.ts";
import { runSteps } from "./steps.ts";
import { fast } from "./testing.ts";
import { voter, world } from "./testing-pair.ts";

test("a learner whose peer is lost while it catches up asks no more", async () => {
  const made = world({ ...voter, standing: "learner", full: false }, voter);
  made.etcd.running = true;
  const steps = promoteLearner({ ...made.effects, members: never(made.effects.members) }, fast);
  assert.equal((await steps.next()).value, "ask for promotion");
  made.peer.member = false;
  const end = await steps.next();
  assert.ok(end.done === true && !end.value.done && /the peer was lost/.test(end.value.why));
});

test("a learner asks for long while its peer lists it, and not for long where the peer's etcd is silent", async () => {
  const asked = async (list: Effects["members"]["list"]): Promise<number> => {
    const made = world({ ...voter, standing: "learner", full: false }, voter);
    made.etcd.running = true;
    const times = { ...fast, tries_max: 3, promotion_tries_max: 9 };
    let asks = 0;
    const effects = { ...made.effects, members: { ...never(made.effects.members), list } };
    const end = await runSteps(promoteLearner(effects, times), () => (asks += 1));
    assert.equal(end.done, false);
    return asks;
  };
  const self = { id: "1", role: "learner", machine: "self", leader: false } as const;
  assert.equal(await asked(async () => failed("unreachable", "no leader")), 3);
  assert.equal(await asked(async () => success([])), 3);
  assert.equal(await asked(async () => success([self])), 9);
});

/** Nobody is promoted by these. */
const never = (members: Effects["members"]): Effects["members"] => ({
  ...members,
  promote: async () => failed("refused", "the learner is behind"),
  list: async () => failed("unreachable", "not yet"),
});
