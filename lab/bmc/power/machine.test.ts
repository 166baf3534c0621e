import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../../src/machine/clock.ts";
import { type Bench, bench, FakeMetal } from "../testing.ts";
import { forcedOffs_ms } from "./machine.ts";

const system = "/redfish/v1/Systems/1";
const soon = { deadline_ms: 5_000, every_ms: 5 };

const stateOf = async (lab: Bench): Promise<unknown> => (await lab.call("GET", system)).json["PowerState"];
const reach = async (lab: Bench, state: string): Promise<void> => {
  await until(`PowerState is ${state}`, async () => (await stateOf(lab)) === state, soon);
};
const reset = async (lab: Bench, type: string): Promise<number> =>
  (await lab.call("POST", `${system}/Actions/ComputerSystem.Reset`, { body: { ResetType: type } })).status;

test("off and on show the state in between until the power is really gone or there", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  lab.metal.gate = gate;
  assert.equal(await reset(lab, "ForceOff"), 204);
  assert.equal(await stateOf(lab), "PoweringOff");
  assert.ok(lab.metal.powered);
  assert.equal(await reset(lab, "On"), 409);
  assert.equal(await reset(lab, "ForceOff"), 204);
  open();
  await reach(lab, "Off");
  assert.deepEqual(lab.metal.done, ["cut"]);
  assert.equal(await reset(lab, "ForceOff"), 204);
  assert.equal(await reset(lab, "On"), 204);
  await reach(lab, "On");
  assert.equal(await reset(lab, "On"), 204);
  assert.deepEqual(lab.metal.done, ["cut", "on"]);
});

test("a machine that ran and was switched off by force is in the log with its moment, one that was off is not", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  const before_ms = Date.now();
  assert.equal(await reset(lab, "ForceOff"), 204);
  await reach(lab, "Off");
  assert.equal(await reset(lab, "ForceOff"), 204);
  const [at_ms = 0, ...more] = forcedOffs_ms(lab.log.join("\n"));
  assert.ok(at_ms >= before_ms && at_ms <= Date.now());
  assert.deepEqual(more, []);
});

test("ForceOff beats a power-on that is under way", async () => {
  await using lab = await bench({ times: { off_ms: 0, on_ms: 60_000 } });
  assert.equal(await reset(lab, "On"), 204);
  assert.equal(await stateOf(lab), "PoweringOn");
  assert.equal(await reset(lab, "ForceOff"), 204);
  await reach(lab, "Off");
  assert.ok(!lab.metal.done.includes("on"));
});

test("a graceful shutdown asks; a hung machine stays on, and the BMC says so", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  lab.metal.hung = true;
  assert.equal(await reset(lab, "GracefulShutdown"), 204);
  assert.equal(await stateOf(lab), "On");
  assert.equal(await reset(lab, "PushPowerButton"), 204);
  assert.equal(await stateOf(lab), "On");
  lab.metal.hung = false;
  assert.equal(await reset(lab, "GracefulShutdown"), 204);
  await reach(lab, "Off");
  assert.deepEqual(lab.metal.done, ["press", "press", "press"]);
});

test("a graceful restart comes back, or gives up on a hung machine", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  assert.equal(await reset(lab, "GracefulRestart"), 204);
  await until("it is back", async () => lab.metal.done.includes("on"), soon);
  await reach(lab, "On");
  lab.metal.hung = true;
  assert.equal(await reset(lab, "GracefulRestart"), 204);
  assert.equal(await stateOf(lab), "On");
  assert.deepEqual(lab.metal.done, ["press", "on", "press"]);
});

test("a cycle cuts and gives power; a restart of what is off is refused", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  for (const type of ["PowerCycle", "ForceRestart"]) {
    lab.metal.done.length = 0;
    assert.equal(await reset(lab, type), 204);
    await until("it is back", async () => lab.metal.done.length === 2, soon);
    assert.deepEqual(lab.metal.done, ["cut", "on"]);
    await reach(lab, "On");
  }
  await reset(lab, "ForceOff");
  await reach(lab, "Off");
  for (const type of ["PowerCycle", "ForceRestart", "GracefulRestart"])
    assert.equal(await reset(lab, type), 409);
  assert.equal(await reset(lab, "PushPowerButton"), 204);
  await reach(lab, "On");
});

test("an unknown reset type, or none, does nothing", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  assert.equal(await reset(lab, "Nmi"), 400);
  assert.equal((await lab.call("POST", `${system}/Actions/ComputerSystem.Reset`, { body: {} })).status, 400);
  assert.deepEqual(lab.metal.done, []);
});

test("what happens to the machine without the BMC is read, not remembered", async () => {
  await using lab = await bench({ metal: new FakeMetal(true) });
  assert.equal(await stateOf(lab), "On");
  lab.metal.powered = false;
  assert.equal(await stateOf(lab), "Off");
});

test("a boot override for once is used up by the next boot, a continuous one stays", async () => {
  await using lab = await bench();
  const bootAfter = async (enabled: string) => {
    const boot = { BootSourceOverrideEnabled: enabled, BootSourceOverrideTarget: "Pxe" };
    assert.equal((await lab.call("PATCH", system, { body: { Boot: boot } })).status, 200);
    await reset(lab, "On");
    await reach(lab, "On");
    const { json } = await lab.call("GET", system);
    await reset(lab, "ForceOff");
    await reach(lab, "Off");
    return JSON.stringify(json["Boot"]);
  };
  assert.match(await bootAfter("Once"), /"BootSourceOverrideEnabled":"Disabled"/);
  assert.match(await bootAfter("Continuous"), /"BootSourceOverrideTarget":"Pxe"/);
});

test("a machine that can't be read is an error, and the BMC lives on", async () => {
  await using lab = await bench();
  lab.metal.isOn = () => Promise.reject(new Error("no such container"));
  assert.equal((await lab.call("GET", system)).status, 500);
  lab.metal.isOn = async () => true;
  assert.equal(await stateOf(lab), "On");
  assert.ok(lab.log.some((sentence) => sentence.includes("no such container")));
});
