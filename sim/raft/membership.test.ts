import assert from "node:assert/strict";
import { test } from "node:test";
import { label } from "../kernel/label.ts";
import { appendCommitRecord } from "./data.ts";
import { walFacts } from "./standing.ts";
import { RaftWorld } from "./world.ts";
import type { Message } from "./types.ts";

const moment = label("test.promote-moment");
const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && "entries" in value;
const carriesPromotion = (value: unknown): boolean =>
  isMessage(value) && value.entries.some((entry) => entry.change?.kind === "promote");

/** A sole voter with hundreds of writes in flight promotes its learner; the wire is cut right behind the promotion. */
function promoteAndCut(seed: number, writers = 200): { world: RaftWorld; learner: number } {
  const world = new RaftWorld(
    { seed },
    { load: { reads_percent: 0, clients: writers, operations: 12_000, pause_us: 4_000 } },
  );
  const { kernel, wire } = world;
  const voter = world.startOne(0);
  kernel.runSync(2_500_000);
  const learner = world.freshId();
  world.member(0).requests.addLearner(learner, 1, () => undefined);
  kernel.runSync(2_600_000);
  world.start(1, { kind: "join", members: { [voter]: 0 } }, learner);
  kernel.runSync(4_000_000);
  world.clients.start();
  kernel.runSync(4_300_000 + kernel.choices.jitter(moment, 30_000));
  wire.tap = (_from, _to, message) => (carriesPromotion(message) ? "cut after" : "pass");
  world.member(0).requests.promote(learner, () => undefined);
  kernel.runSync(kernel.now_us + 300_000);
  return { world, learner };
}

test("the promote window: a voter by its own log may lack what its leader acknowledged alone", () => {
  let voters = 0;
  let lossy = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const { world } = promoteAndCut(seed);
    world.powerCut(0);
    world.kill(1);
    const data = world.data(1);
    if (walFacts(data).standing !== "voter") continue;
    voters += 1;
    assert.notEqual(appendCommitRecord(data), "the log's tail is lost");
    world.start(1, { kind: "force new cluster" });
    world.kernel.runSync(world.kernel.now_us + 4_000_000);
    const lost = world.history.missing(world.machines[1]?.member?.applier.store.values ?? []);
    if (lost.length > 0) {
      lossy += 1;
      assert.ok(world.kernel.violation !== undefined, "the checks see it too");
    }
  }
  assert.ok(voters >= 20, `${voters} of 40 had the promotion in their log`);
  assert.ok(lossy >= 5, `${lossy} of ${voters} lost something`);
});

test("once the leader answered the promotion and a later write was acknowledged, nothing is missing", () => {
  let promoted = 0;
  for (let seed = 1; seed <= 40; seed += 1) {
    const world = new RaftWorld(
      { seed },
      { load: { reads_percent: 0, clients: 100, operations: 6_000, pause_us: 4_000 } },
    );
    const { kernel } = world;
    const voter = world.startOne(0);
    kernel.runSync(2_500_000);
    const learner = world.freshId();
    world.member(0).requests.addLearner(learner, 1, () => undefined);
    kernel.runSync(2_600_000);
    world.start(1, { kind: "join", members: { [voter]: 0 } }, learner);
    kernel.runSync(4_000_000);
    world.clients.start();
    kernel.runSync(4_300_000);
    let full = false;
    world.member(0).requests.promote(learner, (answer) => {
      if (!answer.ok) return;
      const marker = world.history.begin("write", 99);
      world.member(0).requests.put(99, marker.id, (reply) => {
        full = reply.ok;
        world.wire.cutBoth(0, 1);
      });
    });
    kernel.runSync(kernel.now_us + 300_000);
    // A learner on a slow disk is refused: then there is nothing to see.
    if (!full) continue;
    promoted += 1;
    world.powerCut(0);
    world.kill(1);
    appendCommitRecord(world.data(1));
    world.start(1, { kind: "force new cluster" });
    kernel.runSync(kernel.now_us + 4_000_000);
    assert.deepEqual(world.history.missing(world.member(1).applier.store.values), [], `seed ${seed}`);
    assert.equal(kernel.violation, undefined, `seed ${seed}`);
  }
  assert.ok(promoted >= 30, `${promoted} of 40`);
});

test("a learner is not promoted before it has caught up", () => {
  const world = new RaftWorld({ seed: 3 }, { load: { reads_percent: 0, operations: 120 } });
  const voter = world.startOne(0);
  world.clients.start();
  world.kernel.runSync(4_000_000);
  const learner = world.freshId();
  const said: string[] = [];
  const promote = () =>
    world.member(0).requests.promote(learner, (answer) => said.push(answer.ok ? "ok" : answer.why));
  world.member(0).requests.addLearner(learner, 1, () => undefined);
  world.kernel.runSync(4_500_000);
  promote();
  world.start(1, { kind: "join", members: { [voter]: 0 } }, learner);
  world.kernel.runSync(6_000_000);
  promote();
  world.kernel.runSync(7_000_000);
  assert.deepEqual(said, ["learner not ready", "ok"]);
  assert.deepEqual(world.member(0).applier.membership.voters, [voter, learner]);
});

/** Two voters and a learner that has caught up; the follower of the two is asked to promote it. */
function askFollower(seed: number): { world: RaftWorld; leader: number; follower: number; said: string[] } {
  const world = new RaftWorld({ seed }, { machines: 3 });
  const { kernel } = world;
  const members = { [world.freshId()]: 0, [world.freshId()]: 1 };
  for (const [id, machine] of Object.entries(members))
    world.start(machine, { kind: "new", members }, Number(id));
  kernel.runSync(9_000_000);
  const leader = world.leader?.machine ?? 0;
  const learner = world.freshId();
  world.member(leader).requests.addLearner(learner, 2, () => undefined);
  kernel.runSync(9_500_000);
  world.start(2, { kind: "join", members }, learner);
  kernel.runSync(11_000_000);
  const said: string[] = [];
  const follower = 1 - leader;
  world.member(follower).requests.promote(learner, (answer) => said.push(answer.ok ? "ok" : answer.why));
  return { world, leader, follower, said };
}

test("a follower passes a promotion on to its leader, and waits while there is none", () => {
  const { world, leader, follower, said } = askFollower(1);
  world.kernel.runSync(11_500_000);
  assert.deepEqual(said, ["ok"]);
  assert.equal(world.member(follower).applier.membership.voters.length, 3);
  world.kill(leader);
  world.kill(2);
  const again = () =>
    world.member(follower).requests.promote(1, (answer) => said.push(answer.ok ? "ok" : answer.why));
  world.kernel.runSync(15_000_000);
  again();
  world.kernel.runSync(21_000_000);
  assert.deepEqual(said, ["ok"]);
  world.kernel.runSync(23_000_000);
  assert.deepEqual(said, ["ok", "request timed out"]);
});

test("a leader lost between the change and its answer gets the promotion twice, and the log can be judged", () => {
  const { world, leader, follower, said } = askFollower(2);
  const { kernel } = world;
  world.wire.tap = (from, _to, message) => {
    if (from === follower && isMessage(message) && message.type === "append answer" && promotions() === 1)
      world.kill(leader);
    return "pass";
  };
  const promotions = () =>
    world
      .data(follower)
      .wal.replay([])
      .entries.filter(({ change }) => change?.kind === "promote").length;
  kernel.runSync(11_500_000);
  assert.equal(world.running(leader), undefined);
  world.wire.tap = undefined;
  world.start(leader, { kind: "restart" });
  kernel.runSync(18_000_000);
  // It did become a voter: the first of the two promotions.
  assert.deepEqual(said, ["can only promote a learner member"]);
  assert.equal(promotions(), 2);
  for (const machine of [leader, follower]) assert.equal(walFacts(world.data(machine)).standing, "voter");
  assert.equal(world.member(follower).applier.membership.voters.length, 3);
});

test("a removed leader stays leader for a while and answers reads alone, but takes no writes", () => {
  const world = new RaftWorld({ seed: 2 });
  world.startAll();
  world.kernel.runSync(9_000_000);
  const { leader } = world;
  assert.ok(leader !== undefined);
  // Its peer never hears of the commit: only the leader applies the removal.
  world.wire.tap = (_from, _to, message) =>
    isMessage(message) && message.type === "append" && message.entries.length === 0 ? "cut before" : "pass";
  const said: string[] = [];
  leader.requests.remove(leader.id, (answer) => said.push(answer.ok ? "removed" : answer.why));
  world.kernel.runSync(9_200_000);
  assert.equal(leader.raft.role, "leader");
  leader.requests.read((answer) => said.push(answer.ok ? "read" : answer.why));
  leader.requests.put(1, 1, (answer) => said.push(answer.ok ? "written" : answer.why));
  world.kernel.runSync(9_300_000);
  assert.deepEqual(said, ["removed", "read"]);
  world.kernel.runSync(11_000_000);
  assert.deepEqual(said, ["removed", "read", "connection closed"]);
  assert.match(leader.ended ?? "", /permanently removed/);
});

test("the last voter can't be removed; two that leave at once can still end in a panic", () => {
  const alone = new RaftWorld({ seed: 1 });
  const voter = alone.startOne(0);
  alone.kernel.runSync(3_000_000);
  let said = "";
  alone.member(0).requests.remove(voter, (answer) => {
    said = answer.ok ? "ok" : answer.why;
  });
  assert.equal(said, "not enough started members");

  // A slow applier: the second proposal comes while the first change is handed over and not yet applied.
  const world = new RaftWorld({ seed: 1 }, { etcd: { apply_slow_ppm: 1_000_000 } });
  world.startAll();
  world.kernel.runSync(9_000_000);
  const { leader } = world;
  assert.ok(leader !== undefined);
  const other = world.member(1 - leader.machine);
  other.requests.remove(other.id, () => undefined);
  world.kernel.after(6_000, () => leader.requests.remove(leader.id, () => undefined));
  world.kernel.runSync(10_500_000);
  assert.match(leader.ended ?? "", /removed all voters/);
});

test("a leader steps down when it hears nobody, and a cut-off side serves no linearizable read", () => {
  const world = new RaftWorld({ seed: 6 });
  world.startAll();
  world.kernel.runSync(4_000_000);
  const { leader } = world;
  assert.ok(leader !== undefined);
  world.wire.cutBoth(0, 1);
  const said: string[] = [];
  for (const machine of [0, 1])
    world.member(machine).requests.read((answer) => said.push(answer.ok ? "read" : answer.why));
  world.kernel.runSync(6_100_000);
  assert.equal(world.leader, undefined);
  world.kernel.runSync(20_000_000);
  assert.equal(said.length, 2);
  assert.ok(!said.includes("read"), said.join());
  world.wire.healBoth(0, 1);
  world.kernel.runSync(25_000_000);
  assert.ok(world.leader !== undefined);
});

test("moving the leader works, and the old one takes no proposals meanwhile", () => {
  const world = new RaftWorld({ seed: 7 });
  world.startAll();
  world.kernel.runSync(4_000_000);
  const { leader } = world;
  assert.ok(leader !== undefined);
  const other = world.member(1 - leader.machine);
  const said: string[] = [];
  leader.requests.moveLeader(other.id, (answer) => said.push(answer.ok ? "moved" : answer.why));
  leader.requests.put(1, 1, (answer) => said.push(answer.ok ? "written" : answer.why));
  world.kernel.runSync(5_000_000);
  assert.deepEqual(said, ["proposal dropped", "moved"]);
  assert.equal(world.leader, other);
});
