import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schedule } from "../kernel/choices.ts";
import { label } from "../kernel/label.ts";
import { shrink } from "../kernel/shrink.ts";
import { appendCommitRecord } from "./data.ts";
import { walFacts } from "./standing.ts";
import { RaftWorld } from "./world.ts";

const moment = label("test.moment");
const write = { reads_percent: 0, clients: 30, operations: 1_500, pause_us: 8_000 };

/** The wire is cut while clients write; the leader is switched off; the survivor becomes a cluster of one. */
function takeOver(schedule: Schedule, record: boolean, clientsOnly = false): RaftWorld {
  const world = new RaftWorld(schedule, { load: write, clientsOnly });
  const { kernel, wire } = world;
  world.startAll();
  world.clients.start();
  while (world.leader === undefined) kernel.runSync(kernel.now_us + 20_000);
  kernel.runSync(kernel.now_us + 100_000 + kernel.choices.jitter(moment, 300_000));
  const dead = world.leader?.machine ?? 0;
  const survivor = 1 - dead;
  wire.cutBoth(0, 1);
  kernel.runSync(kernel.now_us + 300_000);
  world.powerCut(dead);
  world.kill(survivor);
  if (record) appendCommitRecord(world.data(survivor));
  world.start(survivor, { kind: "force new cluster" });
  kernel.runSync(kernel.now_us + 5_000_000);
  return world;
}

test("plain force-new-cluster after a wire cut loses acknowledged writes, and the checks see it", () => {
  for (const clientsOnly of [true, false]) {
    const found: string[] = [];
    for (let seed = 1; seed <= 100; seed += 1) {
      const check = takeOver({ seed }, false, clientsOnly).kernel.violation?.check;
      if (check !== undefined) found.push(check);
    }
    assert.ok(found.length >= 20, `${found.length} of 100`);
    const seen = [...new Set(found)].toSorted();
    assert.deepEqual(seen, clientsOnly ? ["one dataset"] : ["state machine safety"]);
  }
});

test("with the commit record nothing is lost, and the survivor serves", () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const world = takeOver({ seed }, true);
    assert.equal(world.kernel.violation, undefined, `seed ${seed}`);
    const { leader } = world;
    assert.ok(leader !== undefined, `seed ${seed}`);
    assert.deepEqual(leader.applier.membership.voters, [leader.id]);
    assert.deepEqual(world.history.missing(leader.applier.store.values), [], `seed ${seed}`);
    assert.equal(leader.data.cluster, world.cluster);
  }
});

test("a found loss shrinks to a few choices and repeats", async () => {
  const run = (schedule: Schedule) => takeOver(schedule, false).kernel;
  let seed = 1;
  while (run({ seed }).violation === undefined) seed += 1;
  const { choices, violation } = run({ seed });
  const shrunk = await shrink(
    { seed, choices: choices.taken },
    violation?.check ?? "",
    (s) => run(s).violation?.check,
    60,
  );
  const left = shrunk.schedule.choices ?? [];
  assert.ok(left.length <= 3, `${left.length} choices are left of ${choices.taken.length}`);
  assert.equal(run(shrunk.schedule).violation?.check, violation?.check);
});

/** A sole voter with a learner that has caught up. */
function withLearner(): { world: RaftWorld; voter: number; learner: number } {
  const world = new RaftWorld({ seed: 5 }, { load: { ...write, operations: 60 } });
  const voter = world.startOne(0);
  world.clients.start();
  world.kernel.runSync(3_000_000);
  const learner = world.freshId();
  world.member(0).requests.addLearner(learner, 1, (answer) => assert.ok(answer.ok));
  world.kernel.runSync(3_100_000);
  world.start(1, { kind: "join", members: { [voter]: 0 } }, learner);
  world.kernel.runSync(5_000_000);
  return { world, voter, learner };
}

test("a learner's data can't be forced: it panics at every start with the flag; without it, it waits as a learner", () => {
  const { world } = withLearner();
  assert.equal(walFacts(world.data(1)).standing, "learner");
  world.kill(1);
  world.powerCut(0);
  for (let start = 0; start < 3; start += 1) {
    world.start(1, { kind: "force new cluster" });
    world.kernel.runSync(world.kernel.now_us + 1_000_000);
    assert.match(world.machines[1]?.member?.ended ?? "", /panic: removed all voters/);
  }
  world.start(1, { kind: "restart" });
  world.kernel.runSync(world.kernel.now_us + 5_000_000);
  assert.equal(world.member(1).raft.role, "follower");
  assert.equal(world.member(1).raft.lead, 0);
});

test("a removed member's data can't be forced either, and it stops itself", () => {
  const { world, learner } = withLearner();
  world.member(0).requests.promote(learner, (answer) => assert.ok(answer.ok));
  world.kernel.runSync(12_000_000);
  assert.equal(walFacts(world.data(1)).standing, "voter");
  let answer = "";
  world.member(0).requests.remove(learner, (reply) => {
    answer = reply.ok ? "ok" : reply.why;
  });
  world.kernel.runSync(12_200_000);
  assert.equal(answer, "ok");
  world.kernel.runSync(16_000_000);
  assert.match(world.machines[1]?.member?.ended ?? "", /permanently removed/);
  const facts = walFacts(world.data(1));
  assert.equal(facts.standing, "removed");
  assert.equal(facts.removal, true);
  world.start(1, { kind: "force new cluster" });
  world.kernel.runSync(18_000_000);
  assert.match(world.machines[1]?.member?.ended ?? "", /panic: removed all voters/);
});

test("the voter that stays is the sole voter, starts plainly, and forcing it changes nothing", () => {
  const { world, learner } = withLearner();
  world.member(0).requests.remove(learner, (reply) => assert.ok(reply.ok));
  world.kernel.runSync(8_000_000);
  assert.equal(walFacts(world.data(0)).sole_voter, true);
  const before = world.member(0).applier.store.revision;
  for (const kind of ["restart", "force new cluster"] as const) {
    world.kill(0);
    world.start(0, { kind });
    world.kernel.runSync(world.kernel.now_us + 3_000_000);
    assert.equal(world.member(0).raft.role, "leader");
    assert.equal(world.member(0).applier.store.revision, before);
  }
  assert.equal(world.kernel.violation, undefined);
});

test("a learner in the snapshot stays as a ghost after a forced start, but not in newer etcd", () => {
  for (const ghost_learner of [true, false]) {
    const world = new RaftWorld(
      { seed: 8 },
      { load: { ...write, operations: 300 }, etcd: { snapshot_entries: 20, ghost_learner } },
    );
    world.startOne(0);
    world.kernel.runSync(3_000_000);
    const learner = world.freshId();
    world.member(0).requests.addLearner(learner, 1, () => undefined);
    world.kernel.runSync(3_100_000);
    world.clients.start();
    world.kernel.runSync(8_000_000);
    world.kill(0);
    world.start(0, { kind: "force new cluster" });
    world.kernel.runSync(11_000_000);
    assert.deepEqual(world.member(0).applier.membership.learners, ghost_learner ? [learner] : []);
  }
});
