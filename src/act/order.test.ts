import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Holding } from "../decide/facts.ts";
import { failed } from "./effects.ts";
import { fast, FakeWorld, logOf, pick } from "./testing.ts";
import { runSteps } from "./steps.ts";
import { surrender } from "./surrender.ts";
import { serveAlone, takeOver } from "./takeover.ts";

const voter: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  lineage: { epoch: 5, owner: "b" },
  full: true,
};

function made(self: Holding = voter): FakeWorld {
  const world = new FakeWorld();
  world.state = pick(self);
  world.log = { ...logOf(self), committed: false };
  return world;
}

/** The crash tests stand on these: each wrong order must be seen by the world that they run in. */
test("the world of the crash tests sees each wrong order", async () => {
  const { effects } = made();
  const served = {
    ...pick(voter),
    lineage: { epoch: 6, owner: "a" },
    takeover: { step: "served", epoch: 6 },
  } as const;
  await assert.rejects(effects.disk.writeState(served), /before any tag/);
  await assert.rejects(effects.disk.commitLog(1), /committed before/);
  await assert.rejects(effects.bmc.commandOn(1), /powered on before/);
  await assert.rejects(effects.quorum.noteOff("1", false), /Off is noted/);
  await effects.unit.setForceFlag();
  await assert.rejects(effects.members.addLearner(1), /while the force flag/);
  await assert.rejects(effects.unit.start("with its data", 1), /forced before/);
  const poor = made({ ...voter, full: false });
  await assert.rejects(poor.effects.disk.writeState(pick(voter)), /before the marker/);
  await assert.rejects(poor.effects.disk.moveAside(1), /before the peer serves/);
  await assert.rejects(
    poor.effects.disk.writeState({ ...pick(voter), full: false, surrendered: 6 }),
    /while etcd may run/,
  );
  const twice = made({ ...voter, soleVoter: true });
  twice.state = served;
  twice.log = { ...twice.log, committed: true };
  await twice.effects.unit.setForceFlag();
  await assert.rejects(twice.effects.unit.start("with its data", 1), /forced twice/);
});

test("a takeover does its steps in the order of the design", async () => {
  const world = made();
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.boot.proven = true;
  const steps: string[] = [];
  assert.deepEqual(await runSteps(takeOver(world.effects, fast, 6), (step) => steps.push(step)), {
    done: true,
  });
  assert.deepEqual(steps, [
    "write the intent",
    "write the tag of the own BMC",
    "write the tag of the peer's BMC",
    "write that it may have served",
    "stop etcd",
    "keep the log as it is",
    "commit the log",
    "set the force flag",
    "let etcd start",
    "start etcd",
    "read the members",
    "drop the force flag",
    "write that the takeover is finished",
    "tell the peer's side",
    "power the peer on",
  ]);
});

test("a takeover that is resumed syncs what its killed etcd has written, before it starts on it", async () => {
  const world = made({ ...voter, soleVoter: true, lineage: { epoch: 6, owner: "a" } });
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.boot.proven = true;
  world.state = { ...world.state, takeover: { step: "served", epoch: 6 } };
  world.log = { ...world.log, committed: true };
  world.etcd.running = true;
  const steps: string[] = [];
  await runSteps(serveAlone(world.effects, fast), (step) => steps.push(step));
  assert.ok(steps.includes("sync the log"), steps.join(", "));
  assert.equal(steps.indexOf("sync the log") + 1, steps.indexOf("start etcd"));
});

test("a BMC that is busy is asked again to power the peer on, until it does or the peer is here", async () => {
  for (const [refusals, wanted] of [
    [0, 1],
    [3, 4],
    [99, 8],
  ] as const) {
    const world = made();
    world.peer = { ...world.peer, on: false, member: false, holding: voter };
    world.boot.proven = true;
    let asked = 0;
    const commandOn = async (deadline_ms: number) => {
      asked += 1;
      if (asked <= refusals) return failed("failed", "busy");
      return await world.effects.bmc.commandOn(deadline_ms);
    };
    const effects = { ...world.effects, bmc: { ...world.effects.bmc, commandOn } };
    assert.deepEqual(await runSteps(takeOver(effects, fast, 6)), { done: true });
    assert.deepEqual([asked, world.peer.on], [wanted, refusals < 99]);
  }
});

test("data that can't be given up, because its etcd stays, is given up to nobody: a fence is called for", async () => {
  const world = made();
  const stop = async () => failed("deadline", "its process stays");
  const effects = { ...world.effects, unit: { ...world.effects.unit, stop } };
  const end = await runSteps(surrender(effects, fast, 6));
  assert.equal(end.done, false);
  assert.deepEqual([world.etcd.held, world.etcd.masked, world.state.surrendered], [true, false, undefined]);
});

test("a takeover yields to a tag that is higher by now", async () => {
  const world = made();
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.boot.proven = true;
  world.tags = { mine: undefined, theirs: { epoch: 6, owner: "b" } };
  const end = await runSteps(takeOver(world.effects, fast, 6));
  assert.equal(end.done, false);
  assert.deepEqual([world.state.lineage?.epoch, world.etcd.forced], [5, 0]);
});
