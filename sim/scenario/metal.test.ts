import assert from "node:assert/strict";
import { test } from "node:test";
import { bmc_default } from "../../src/scenario/header.ts";
import { SimStage } from "./stage.ts";
import { isWhole } from "./whole.ts";

test("an outlet that is switched on feeds nobody while the site has no power", async () => {
  const stage = new SimStage({ pdu: true, bmc: bmc_default, fencing: "fence_duet" }, 1, {
    trace: false,
  });
  assert.ok((await stage.setUp()).ok);
  const { world } = stage;
  const machine = world.machine(0);
  machine.powerOn();
  await stage.run(30_000_000);
  world.mains(0, false);
  assert.equal(machine.powered, false);
  for (const kind of ["off", "on"] as const) {
    world.pdu.handle({ kind, machine: 0 }, () => undefined);
    await stage.run(90_000_000);
    assert.equal(machine.powered, false, `fed by an outlet that is ${kind}`);
  }
  world.mains(0, true);
  await stage.run(90_000_000);
  assert.equal(machine.powered, true, "the BMC brings back what was on");
});

test("a broken machine is off until it is repaired and switched on", async () => {
  const stage = new SimStage({ pdu: false, bmc: bmc_default, fencing: "fence_duet" }, 1, {
    trace: false,
  });
  assert.ok((await stage.setUp()).ok);
  const machine = stage.world.machine(1);
  machine.broken = true;
  machine.powerOn();
  stage.world.bmc(1).handle({ kind: "reset", type: "On" }, () => undefined);
  await stage.run(30_000_000);
  assert.equal(machine.powered, false);
  machine.broken = false;
  machine.powerOn();
  assert.equal(machine.powered, true);
});

test("a machine that was switched off at its outlet comes back, however slowly its BMC boots and whatever it then does by itself", async () => {
  const slow = { trace: false, bmcBoot_us: 150_000_000 };
  const stage = new SimStage({ pdu: true, bmc: bmc_default, fencing: "fence_duet" }, 1, slow);
  assert.ok((await stage.setUp()).ok);
  const { world, site } = stage;
  for (const machine of world.machines) machine.powerOn();
  assert.ok((await stage.until(300_000, "no 1+1", () => isWhole(world, site))).ok);
  world.bmc(1).policy = "AlwaysOff";
  world.bmc(1).setFaults([{ kind: "hang-after-connect" }]);
  world.machine(1).hang();
  const fenced = await stage.until(300_000, "it is not switched off", () => !world.machine(1).powered);
  assert.ok(fenced.ok, fenced.seen);
  world.bmc(1).setFaults([]);
  const back = await stage.until(600_000, "it does not come back", () => isWhole(world, site));
  assert.ok(back.ok, back.seen);
});

test("each BMC takes its own time, and a fence's turn is counted by the slower one", async () => {
  const bmc = { ...bmc_default, node2: { off_ms: 6000, on_ms: 46_000 } };
  const stage = new SimStage({ pdu: false, bmc, fencing: "fence_duet" }, 1, { trace: false });
  assert.ok((await stage.setUp()).ok);
  const { world } = stage;
  for (const [id, off_ms] of [1000, 6000].entries()) {
    world.machine(id).powerOn();
    const from_us = world.kernel.now_us;
    world.bmc(id).handle({ kind: "reset", type: "ForceOff" }, () => undefined);
    assert.ok((await stage.until(60_000, "on", () => !world.machine(id).powered)).ok);
    const took_ms = (world.kernel.now_us - from_us) / 1000;
    assert.ok(took_ms >= off_ms && took_ms < off_ms + 500, `${took_ms}`);
  }
  const [one, other] = [stage.node(0).times.turn_ms, stage.node(1).times.turn_ms];
  assert.ok(one === other && one > 6000);
});
