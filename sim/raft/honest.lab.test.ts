import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { imageRoot } from "../../lab/testing-image.ts";
import { Answers } from "./testing-answers.ts";
import { RealSide } from "./testing-etcd.ts";
import { ModelSide } from "./testing-model.ts";
import type { Side } from "./testing-side.ts";

const etcd = join(await imageRoot(), "usr/bin/etcd");

type Steps = (side: Side, told: Answers) => Promise<void>;

/** The same steps on the model and on real etcd, and the same questions to both: what they say must be equal. */
function same(what: string, steps: Steps, machines = 2): void {
  test(`model and etcd agree: ${what}`, { timeout: 300_000 }, async () => {
    const model = new ModelSide(machines);
    const expected = new Answers(model);
    await steps(model, expected);
    assert.equal(model.world.kernel.violation, undefined);
    await using real = await RealSide.create(etcd, machines);
    const told = new Answers(real, expected.all);
    await steps(real, told);
    assert.deepEqual(told.all, expected.all);
  });
}

/** Elections are a matter of luck: both worlds name their leader, the steps go by role. */
async function leaderOf(side: Side): Promise<number> {
  const leader = await side.leader();
  assert.ok(leader !== undefined, "somebody leads");
  return leader;
}

for (const which of ["leader", "follower"] as const)
  same(`the ${which} is killed and comes back`, async (side, told) => {
    await side.startBoth();
    const leader = await leaderOf(side);
    const dead = which === "leader" ? leader : 1 - leader;
    told.note(await side.put(leader, 10), await side.put(1 - leader, 10));
    await side.kill(dead);
    await told.until(() => side.leader());
    told.note(await side.put(1 - dead, 1), await side.count(1 - dead));
    told.note((await side.members(1 - dead)).length, await side.ended(1 - dead));
    // The last commit index is known to a process and not yet on its disk.
    told.note(side.disk(dead));
    await side.start(dead, "restart");
    await told.until(async () => (await side.leader()) !== undefined);
    for (const machine of [dead, 1 - dead]) await told.until(() => side.count(machine));
  });

same("the leader is frozen, its term is over, and it goes on as if nothing was", async (side, told) => {
  await side.startBoth();
  const leader = await leaderOf(side);
  told.note(await side.put(leader, 5));
  await side.freeze(leader, true);
  await told.until(() => side.leader());
  told.note(await side.count(1 - leader), await side.put(1 - leader, 1));
  await side.freeze(leader, false);
  await told.until(async () => (await side.leader()) !== undefined);
  await told.until(() => side.put(leader, 1));
});

same("a learner joins, is promoted, leads, and the first member is removed", async (side, told) => {
  await side.startOne(0);
  told.note(await side.put(0, 30), await side.change(0, "remove", 0));
  told.note(await side.change(0, "add learner", 1), await side.members(0));
  told.note(await side.change(0, "promote", 1), await side.put(0, 1));
  await side.start(1, "join");
  await told.until(() => side.members(0));
  await told.until(() => side.leader());
  told.note(await side.change(0, "move leader", 1));
  // Refused, which changes nothing, while it lags.
  await told.until(() => side.change(0, "promote", 1));
  await told.until(() => side.members(1));
  await told.until(() => side.count(1));
  await told.until(() => side.change(0, "move leader", 1));
  await told.until(() => side.leader());
  // Membership changes want five seconds of an unbroken connection, and are refused before.
  await told.until(() => side.change(1, "remove", 0));
  await told.until(() => side.ended(0));
  await told.until(() => side.members(1));
  told.note(side.disk(0).standing, await side.put(1, 3));
  await told.until(() => side.count(1));
  for (const how of ["restart", "force"] as const) {
    await side.start(0, how);
    await told.until(() => side.ended(0));
  }
});

same("a learner's data and force-new-cluster", async (side, told) => {
  await side.startOne(0);
  told.note(await side.put(0, 10), await side.change(0, "add learner", 1));
  await side.start(1, "join");
  await told.until(async () => side.disk(1).standing);
  await side.kill(0);
  await side.kill(1);
  told.note(side.disk(1).standing);
  for (const how of ["force", "force", "restart"] as const) {
    await side.start(1, how);
    // The last one runs, and goes on to: `start` has waited for that.
    await told.until(() => side.ended(1));
    told.note(await side.leader());
  }
  await side.kill(1);
});

for (const record of [false, true])
  same(
    `at rest, both killed, the survivor forced ${record ? "with" : "without"} the commit record`,
    async (side, told) => {
      await side.startBoth();
      const leader = await leaderOf(side);
      const survivor = 1 - leader;
      told.note(await side.put(leader, 20));
      // Rest: whatever was on its way has arrived, and nothing more is written.
      await side.settle();
      await side.kill(leader);
      await side.kill(survivor);
      told.note(side.disk(survivor));
      if (record) await side.record(survivor);
      told.note(side.disk(survivor));
      await side.start(survivor, "force");
      await told.until(async () => (await side.members(survivor)).endsWith("voter"));
      await told.until(() => side.count(survivor));
      await told.until(async () => side.disk(survivor).standing);
      told.note(await side.ended(survivor), await side.put(survivor, 5));
      await side.kill(survivor);
      await side.start(survivor, "restart");
      await told.until(async () => (await side.leader()) === survivor);
      await told.until(() => side.count(survivor));
    },
  );

same(
  "a promotion is asked of a follower, and then again of both",
  async (side, told) => {
    await side.startBoth();
    const leader = await leaderOf(side);
    const follower = 1 - leader;
    told.note(await side.put(leader, 30));
    await told.until(() => side.change(leader, "add learner", 2));
    told.note(await side.change(follower, "promote", 2));
    await side.start(2, "join");
    await told.until(() => side.members(follower));
    await told.until(() => side.change(2, "promote", 2));
    await told.until(() => side.change(follower, "promote", 2));
    for (const machine of [0, 1, 2]) await told.until(() => side.members(machine));
    told.note(await side.put(2, 3));
    // Passed on, put into the log, and void there.
    for (const on of [follower, leader, 2]) told.note(await side.change(on, "promote", 2));
    for (const machine of [0, 1, 2]) await side.kill(machine);
    for (const machine of [0, 1, 2]) told.note(side.disk(machine).standing);
    for (const machine of [0, 1, 2]) await side.start(machine, "restart");
    await told.until(async () => (await side.leader()) !== undefined);
    await told.until(() => side.count(2));
    await told.until(() => side.members(follower));
  },
  3,
);
