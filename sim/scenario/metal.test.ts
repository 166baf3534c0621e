import assert from "node:assert/strict";
import { test } from "node:test";
import { SimStage } from "./stage.ts";

test("an outlet that is switched on feeds nobody while the site has no power", async () => {
  const stage = new SimStage({ pdu: true, bmc: { off_ms: 1000, on_ms: 1000 }, fencing: "fence_duet" }, 1, {
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
  const stage = new SimStage({ pdu: false, bmc: { off_ms: 1000, on_ms: 1000 }, fencing: "fence_duet" }, 1, {
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
