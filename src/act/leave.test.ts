import assert from "node:assert/strict";
import { test } from "node:test";
import { done, failed } from "./effects.ts";
import { leave, leaveFirst } from "./leave.ts";
import { runSteps } from "./steps.ts";
import { fast } from "./testing.ts";
import { voter, world } from "./testing-pair.ts";

test("a machine that leaves says so, and says it once more when it is out: its peer goes on without it", async () => {
  const made = world(voter, voter);
  made.etcd.running = true;
  assert.deepEqual(await runSteps(leave(made.effects, fast)), { done: true });
  assert.deepEqual(made.said, ["leaves", "has left"]);
});

test("a leave waits out a moment without a leader, and hands leadership over before each try to be removed", async () => {
  const made = world(voter, voter);
  made.etcd.running = true;
  made.peer.etcd = false;
  let asks = 0;
  const moveLeader = async () => ((asks += 1) < 3 ? failed("deadline", "no answer") : done);
  const effects = { ...made.effects, members: { ...made.effects.members, moveLeader } };
  const begun: string[] = [];
  const end = await runSteps(leaveFirst(effects, fast, { do: "wait" }), (step) => {
    begun.push(step);
    made.peer.etcd ||= begun.length > 2;
  });
  assert.deepEqual(end, { done: true });
  assert.deepEqual(begun.slice(0, 4), [
    "wait for a leader",
    "wait for a leader",
    "wait for a leader",
    "say that this machine leaves",
  ]);
  assert.deepEqual([asks, begun.filter((step) => step === "be removed through the peer").length], [3, 1]);
});

test("where no leader comes, a machine that is to leave stays a member", async () => {
  const made = world(voter, voter);
  made.etcd.running = true;
  made.peer.etcd = false;
  const { decision } = made.effects.decide("leave", await made.effects.facts());
  const end = await runSteps(leaveFirst(made.effects, fast, decision));
  assert.ok(!end.done && /no leader/.test(end.why));
  assert.deepEqual([made.log.standing, made.state.full, made.state.left], ["voter", true, false]);
});

test("of two machines that leave at once, one that sees the other stays a member", async () => {
  const made = world(voter, voter);
  made.etcd.running = true;
  const steps = leave(made.effects, fast);
  await steps.next();
  made.peer.leaving = true;
  const end = await steps.next();
  assert.equal(end.done, true);
  assert.deepEqual([made.log.standing, made.state.full, made.said], ["voter", true, ["leaves"]]);
});

test("with too little time left nothing is begun, and the machine stays a full voter", async () => {
  const made = world(voter, voter);
  made.etcd.running = true;
  const end = await runSteps(leave(made.effects, fast, () => 5_000));
  assert.ok(!end.done && /too little time/.test(end.why));
  assert.deepEqual([made.log.standing, made.state.full, made.state.left], ["voter", true, false]);
});
