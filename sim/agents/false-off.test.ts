import assert from "node:assert/strict";
import { test } from "node:test";
import { done, type Effects, success } from "../../src/act/effects.ts";
import { noPlant, type Plant } from "../plants.ts";
import { isWhole } from "../whole.ts";
import { World } from "../world.ts";
import { duetAgent } from "./etcd.ts";
import { duetFence } from "./fence.ts";
import { installGuard } from "./guard.ts";
import { newSite, nodeOf } from "./site.ts";

/** Two machines at 1+1. */
async function pair(plant: Plant = noPlant) {
  const site = newSite(plant, new Map());
  const world = new World(
    { seed: 5 },
    { agent: (made) => duetAgent(made, site), fence: (made) => duetFence(made, site) },
  );
  installGuard(world, site);
  for (const machine of world.machines) machine.powerOn();
  const run = (seconds: number) => world.kernel.run(world.kernel.now_us + seconds * 1_000_000);
  await run(60);
  assert.ok(isWhole({ world, site }));
  site.firstStart = false;
  const remembered = () => nodeOf(world, site, 0).memory.remembered;
  return { world, site, run, remembered };
}

test("a machine that was fenced is heard in another boot than the one of which Off was read", async () => {
  const { world, site, run, remembered } = await pair();
  assert.equal(remembered().heard?.boot, "1");
  world.cutPower(1);
  await run(30);
  world.feed(1, true);
  world.machine(1).powerOn();
  await run(120);
  assert.ok(isWhole({ world, site }), "taken over, powered on, and back");
  assert.deepEqual([remembered().heard?.boot, remembered().offBoot], ["2", "1"]);
});

/** BMCs that are those of other machines: they take Off, and say Off, while the peer runs. */
const ofOthers = (effects: Effects): Effects => ({
  ...effects,
  bmc: {
    ...effects.bmc,
    peerPower: async () => success("off"),
    commandOff: async () => done,
    commandOn: async () => done,
  },
});

test("a machine that ran on while it was read Off is found out when it is heard again", async () => {
  const { world, run, remembered } = await pair({ ...noPlant, effects: ofOthers });
  for (const link of world.links) link.cutBoth(0, 1);
  await run(60);
  assert.equal(remembered().offBoot, "1");
  assert.ok(world.machines.every(({ powered }) => powered));
  for (const link of world.links) link.healBoth(0, 1);
  await run(60);
  assert.deepEqual([remembered().heard?.boot, remembered().offBoot], ["1", undefined]);
});
