import assert from "node:assert/strict";
import { test } from "node:test";
import { rough } from "../wire.ts";
import { storm } from "./storm.ts";
import { RaftWorld, type RaftWorldOptions } from "./world.ts";

function weather(seed: number, options: RaftWorldOptions): RaftWorld {
  const world = new RaftWorld(
    { seed },
    { wire: rough, load: { operations: 300, pause_us: 120_000 }, ...options },
  );
  world.startAll();
  world.clients.start();
  storm(world, { blows: 6, pause_us: 2_000_000, length_us: 4_000_000 });
  world.kernel.runSync(45_000_000);
  return world;
}

for (const [machines, schedules] of [
  [2, 600],
  [3, 250],
] as const)
  test(`${machines} members in a storm: raft's promises hold, reads are linearizable, nobody is stuck afterwards`, () => {
    let answered = 0;
    for (let seed = 1; seed <= schedules; seed += 1) {
      const world = weather(seed, { machines });
      assert.equal(world.kernel.violation, undefined, `seed ${seed}`);
      const { leader } = world;
      assert.ok(leader !== undefined, `seed ${seed}: nobody leads`);
      assert.deepEqual(world.history.missing(leader.applier.store.values), [], `seed ${seed}`);
      answered += world.history.answered;
    }
    assert.ok(answered / schedules > 200, `only ${answered / schedules} answers a schedule`);
  });

test("snapshots are made, sent to members that are far behind, and survive restarts", () => {
  let sent = 0;
  for (let seed = 1; seed <= 60; seed += 1) {
    const world = weather(seed, {
      machines: 3,
      trace: true,
      etcd: { snapshot_entries: 12, catch_up_entries: 3 },
    });
    assert.equal(world.kernel.violation, undefined, `seed ${seed}`);
    sent += [...world.kernel.trace.lines("etcd.snapshot")].filter((line) =>
      line.includes("installed"),
    ).length;
  }
  assert.ok(sent > 10, `${sent} snapshots installed`);
});

/** Again and again the second machine is removed, comes back empty as a learner, and is promoted, whatever the weather. */
function churn(world: RaftWorld): void {
  const { kernel } = world;
  const turn = () => {
    kernel.after(700_000, turn);
    const { leader } = world;
    if (leader === undefined) return;
    const { voters, learners } = leader.applier.membership;
    const machine = 1 - leader.machine;
    const other = voters.find((id) => id !== leader.id);
    if (other !== undefined) leader.requests.remove(other, () => undefined);
    else if (learners[0] !== undefined) {
      if (world.waiting(machine)) leader.requests.promote(learners[0], () => undefined);
      else world.start(machine, { kind: "join", members: { [leader.id]: leader.machine } }, learners[0]);
    } else {
      world.kill(machine);
      leader.requests.addLearner(world.freshId(), machine, () => undefined);
    }
  };
  kernel.after(6_000_000, turn);
}

test("members come and go in a storm: still nothing is lost and nobody diverges", () => {
  let promotions = 0;
  for (let seed = 1; seed <= 250; seed += 1) {
    const world = new RaftWorld(
      { seed },
      { wire: rough, load: { operations: 500, pause_us: 300_000 }, etcd: { health_us: 0 } },
    );
    world.startAll();
    world.clients.start();
    churn(world);
    storm(world, { blows: 8, pause_us: 3_000_000, length_us: 1_500_000 });
    world.env.observers.push({
      applied: (member, entry) => {
        if (entry.change?.kind === "promote" && entry.change.member === member.id) promotions += 1;
      },
    });
    world.kernel.runSync(40_000_000);
    assert.equal(world.kernel.violation, undefined, `seed ${seed}`);
  }
  assert.ok(promotions > 250, `${promotions} promotions`);
});

test("the same seed gives the same run, event by event", () => {
  const lines = (seed: number) => [...weather(seed, { trace: true }).kernel.trace.lines()].join("\n");
  assert.equal(lines(11), lines(11));
  assert.notEqual(lines(11), lines(12));
});
