import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ensureImage } from "../../lab/image.ts";
import { Progress } from "../../src/machine/progress.ts";
import { RealSide } from "./testing-etcd.ts";
import { ModelSide } from "./testing-model.ts";
import type { Side } from "./testing-side.ts";

const etcd = join(process.env["DUET_IMAGE_ROOT"] ?? (await ensureImage(new Progress())), "usr/bin/etcd");

/** The same steps on the model and on real etcd, and the same questions to both: what they say must be equal. */
function same(what: string, steps: (side: Side) => Promise<readonly unknown[]>, machines = 2): void {
  test(`model and etcd agree: ${what}`, { timeout: 120_000 }, async () => {
    await using real = await RealSide.create(etcd, machines);
    const expected = await steps(real);
    const model = new ModelSide(machines);
    assert.deepEqual(await steps(model), expected);
    assert.equal(model.world.kernel.violation, undefined);
  });
}

/** Elections are a matter of luck: both worlds name their leader, the steps go by role. */
async function leaderOf(side: Side): Promise<number> {
  const leader = await side.leader();
  assert.ok(leader !== undefined, "somebody leads");
  return leader;
}

for (const which of ["leader", "follower"] as const)
  same(`the ${which} is killed and comes back`, async (side) => {
    await side.startBoth();
    const leader = await leaderOf(side);
    const dead = which === "leader" ? leader : 1 - leader;
    const seen: unknown[] = [await side.put(leader, 10), await side.put(1 - leader, 10)];
    await side.kill(dead);
    await side.settle();
    seen.push(await side.leader(), await side.put(1 - dead, 1), await side.count(1 - dead));
    seen.push((await side.members(1 - dead)).length, await side.ended(1 - dead));
    // The last commit index is known to a process and not yet on its disk.
    seen.push(side.disk(dead));
    await side.start(dead, "restart");
    seen.push((await side.leader()) !== undefined, await side.count(dead), await side.count(1 - dead));
    return seen;
  });

same("the leader is frozen, its term is over, and it goes on as if nothing was", async (side) => {
  await side.startBoth();
  const leader = await leaderOf(side);
  const seen: unknown[] = [await side.put(leader, 5)];
  await side.freeze(leader, true);
  await side.settle();
  seen.push(await side.leader(), await side.count(1 - leader), await side.put(1 - leader, 1));
  await side.freeze(leader, false);
  await side.settle();
  seen.push((await side.leader()) !== undefined, await side.put(leader, 1));
  return seen;
});

same("a learner joins, is promoted, leads, and the first member is removed", async (side) => {
  await side.startOne(0);
  const seen: unknown[] = [await side.put(0, 30), await side.change(0, "remove", 0)];
  seen.push(await side.change(0, "add learner", 1), await side.members(0));
  seen.push(await side.change(0, "promote", 1), await side.put(0, 1));
  await side.start(1, "join");
  seen.push(await side.members(0), await side.leader(), await side.change(0, "move leader", 1));
  seen.push(await side.change(0, "promote", 1));
  await side.settle();
  seen.push(
    await side.members(1),
    await side.count(1),
    await side.change(0, "move leader", 1),
    await side.leader(),
  );
  // Membership changes want five seconds of an unbroken connection.
  for (let i = 0; i < 3; i += 1) await side.settle();
  seen.push(await side.change(1, "remove", 0));
  await side.settle();
  seen.push(
    await side.ended(0),
    side.disk(0).standing,
    await side.members(1),
    await side.put(1, 3),
    await side.count(1),
  );
  await side.start(0, "restart");
  seen.push(await side.ended(0));
  await side.start(0, "force");
  seen.push(await side.ended(0));
  return seen;
});

same("a learner's data and force-new-cluster", async (side) => {
  await side.startOne(0);
  const seen: unknown[] = [await side.put(0, 10), await side.change(0, "add learner", 1)];
  await side.start(1, "join");
  await side.kill(0);
  await side.kill(1);
  seen.push(side.disk(1).standing);
  for (const how of ["force", "force", "restart"] as const) {
    await side.start(1, how);
    seen.push(await side.ended(1), await side.leader());
  }
  await side.kill(1);
  return seen;
});

for (const record of [false, true])
  same(
    `at rest, both killed, the survivor forced ${record ? "with" : "without"} the commit record`,
    async (side) => {
      await side.startBoth();
      const leader = await leaderOf(side);
      const survivor = 1 - leader;
      const seen: unknown[] = [await side.put(leader, 20)];
      await side.settle();
      await side.kill(leader);
      await side.kill(survivor);
      seen.push(side.disk(survivor));
      if (record) await side.record(survivor);
      seen.push(side.disk(survivor));
      await side.start(survivor, "force");
      seen.push(
        await side.ended(survivor),
        (await side.members(survivor)).endsWith("voter"),
        await side.count(survivor),
      );
      seen.push(side.disk(survivor).standing, await side.put(survivor, 5));
      await side.kill(survivor);
      await side.start(survivor, "restart");
      seen.push((await side.leader()) === survivor, await side.count(survivor));
      return seen;
    },
  );

same(
  "a promotion is asked of a follower, and then again of both",
  async (side) => {
    await side.startBoth();
    const leader = await leaderOf(side);
    const follower = 1 - leader;
    const seen: unknown[] = [await side.put(leader, 30)];
    for (let i = 0; i < 3; i += 1) await side.settle();
    seen.push(await side.change(leader, "add learner", 2), await side.change(follower, "promote", 2));
    await side.start(2, "join");
    seen.push(await side.members(follower), await side.change(2, "promote", 2));
    seen.push(await side.change(follower, "promote", 2));
    await side.settle();
    seen.push(await side.members(0), await side.members(1), await side.members(2), await side.put(2, 3));
    // Passed on, put into the log, and void there.
    for (const on of [follower, leader, 2]) seen.push(await side.change(on, "promote", 2));
    for (const machine of [0, 1, 2]) await side.kill(machine);
    for (const machine of [0, 1, 2]) seen.push(side.disk(machine).standing);
    for (const machine of [0, 1, 2]) await side.start(machine, "restart");
    seen.push((await side.leader()) !== undefined, await side.count(2), await side.members(follower));
    return seen;
  },
  3,
);
