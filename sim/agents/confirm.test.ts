import assert from "node:assert/strict";
import { test } from "node:test";
import type { Word } from "../../src/decide/facts.ts";
import { noPlant } from "../plants.ts";
import { isWhole } from "../whole.ts";
import { World } from "../world.ts";
import { confirmDown } from "./confirm.ts";
import { duetAgent } from "./etcd.ts";
import { duetFence } from "./fence.ts";
import { installGuard } from "./guard.ts";
import { newSite, nodeOf } from "./site.ts";

/** Two machines at 1+1, and what a person's command on node1 came to. */
async function desk() {
  const site = newSite(noPlant, new Map());
  site.firstStart = true;
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
  const said: Word[] = [];
  const refused: Word["accept"][] = [];
  const confirm = (accept?: Word["accept"]) =>
    confirmDown(nodeOf(world, site, 0), accept, {
      said: (word) => said.push(word),
      refused: (instead) => refused.push(instead),
    });
  return { world, site, run, confirm, said, refused };
}

test("a peer that is here is not down, whoever says so", async () => {
  const { confirm, said, run, world } = await desk();
  confirm("unknown");
  await run(60);
  assert.deepEqual([said, world.machine(1).powered], [[], true]);
});

test("a peer whose BMC answers is switched off before the word is said", async () => {
  const { confirm, said, run, world } = await desk();
  for (const link of world.links) link.cutBoth(0, 1);
  // Nobody fences but the command.
  world.pacemaker.maintenance(true);
  await run(20);
  let off = 0;
  world.machine(1).tenants.push({
    dead: () => {
      off += 1;
      assert.deepEqual(said, []);
    },
  });
  confirm();
  await run(60);
  assert.equal(off, 1);
  assert.deepEqual(said, [{ peerDown: true, accept: undefined, choose: undefined }]);
});

test("what the rules would not serve on is refused, with what could be accepted instead, and nobody is switched off", async () => {
  const { confirm, said, refused, run, world } = await desk();
  world.machine(0).broken = true;
  world.cutPower(0);
  await run(40);
  for (const link of world.links) link.cutBoth(0, 1);
  world.machine(0).broken = false;
  world.machine(0).powerOn();
  await run(60);
  confirm();
  await run(60);
  assert.deepEqual([said, refused.length, world.machine(1).powered], [[], 1, true]);
  assert.equal(typeof refused[0], "number", "the epoch that the tag names");
});
