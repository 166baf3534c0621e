import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Holding } from "../decide/facts.ts";
import { type Effects, failed } from "./effects.ts";
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

const gone = (): FakeWorld => {
  const world = made();
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.boot.proven = true;
  return world;
};

test("an Off that was noted for this loss is enough right before it serves; else the world is looked at once more", async () => {
  const begin = async (proven: boolean, back: boolean) => {
    const world = gone();
    const { effects } = world;
    let looks = 0;
    const facts: Effects["facts"] = async () => {
      looks += 1;
      return await effects.facts();
    };
    const raiseTag: Effects["bmc"]["raiseTag"] = async (...asked) => {
      world.boot.proven = proven;
      world.peer = { ...world.peer, member: back };
      return await effects.bmc.raiseTag(...asked);
    };
    const end = await runSteps(
      takeOver({ ...effects, facts, bmc: { ...effects.bmc, raiseTag } }, fast, world.facts(), 6),
    );
    return { looks, done: end.done, served: world.state.takeover?.step !== "intent" };
  };
  assert.deepEqual(await begin(true, false), { looks: 0, done: true, served: true });
  assert.deepEqual(await begin(false, false), { looks: 1, done: false, served: false });
  const back = await begin(true, true);
  assert.deepEqual([back.done, back.served], [false, false]);
});

test("after an accepted loss the revisions are raised before anybody is served", async () => {
  const world = gone();
  const steps: string[] = [];
  await runSteps(takeOver(world.effects, fast, world.facts(), 1_000_000), (step) => steps.push(step));
  const alone = [
    "stop etcd",
    "drop a force flag that was left",
    "let etcd start",
    "sync the log",
    "start etcd",
    "begin the election",
  ];
  assert.deepEqual(steps.slice(steps.indexOf("write that it may have served") + 1), [
    "see whether the revisions are raised",
    "stop etcd",
    "keep the log as it is",
    "commit the log",
    "set the force flag",
    "let etcd start",
    "start etcd",
    "begin the election",
    "read the members",
    "drop the force flag",
    "stop etcd in order",
    "raise the revisions beside the data",
    "put the raised data in its place",
    "write that the revisions are raised",
    ...alone,
    "read the members",
    "drop the force flag",
    "write that the takeover is finished",
    "tell the peer's side",
    "power the peer on",
  ]);
  assert.deepEqual(
    [world.bump.times, world.state.bump, world.kept, world.etcd.closed],
    [1, undefined, 1, false],
  );
});

test("where nothing can raise them it is served all the same, and written down", async () => {
  const world = gone();
  world.bump.tool = false;
  const steps: string[] = [];
  const end = await runSteps(takeOver(world.effects, fast, world.facts(), 1_000_000), (step) =>
    steps.push(step),
  );
  assert.deepEqual([end, world.state.bump, world.etcd.running], [{ done: true }, "missed", true]);
  assert.ok(steps.includes("write that the revisions go back") && !steps.includes("stop etcd in order"));
  // The next one that is ordinary neither owes nor hides it.
  world.peer = gone().peer;
  await runSteps(takeOver(world.effects, fast, world.facts(), 1_000_001));
  assert.equal(world.state.lineage?.epoch, 1_000_001);
  assert.equal(world.state.bump, "missed");
});

test("a database that stays behind its log is not made into anything, and neither is one that can't be restored", async () => {
  for (const failure of [failed("changed", "behind"), failed("failed", "no space left on device")]) {
    const world = gone();
    let tries = 0;
    const disk = {
      ...world.effects.disk,
      stageBump: async () => {
        tries++;
        return failure;
      },
    };
    const end = await runSteps(takeOver({ ...world.effects, disk }, fast, world.facts(), 1_000_000));
    assert.deepEqual([end, world.state.bump, world.etcd.running], [{ done: true }, "missed", true]);
    assert.equal(tries, failure.failure.kind === "changed" ? 3 : 1);
  }
});

test("what keeps etcd from its closed port does not keep it from its clients; what keeps it from both is told", async () => {
  for (const open of [true, false]) {
    const world = gone();
    let tries = 0;
    const unit: Effects["unit"] = {
      ...world.effects.unit,
      start: async (how, deadline_ms) => {
        if (how === "closed") tries++;
        return how === "closed" || !open
          ? failed("refused", "port 2378 is held by another process")
          : await world.effects.unit.start(how, deadline_ms);
      },
    };
    const end = await runSteps(takeOver({ ...world.effects, unit }, fast, world.facts(), 1_000_000));
    assert.deepEqual([end.done, world.state.bump, world.etcd.running, tries], [open, "missed", open, 3]);
  }
});

test("what keeps etcd from its clients too, and may be over one day, leaves the revisions to be raised", async () => {
  for (const [door, failure] of [
    ["commitLog", failed("refused", "the log is locked by another program")],
    ["start", failed("deadline", "etcd does not come up")],
  ] as const) {
    const world = gone();
    const no = async () => failure;
    const { disk, unit } = world.effects;
    const effects = {
      ...world.effects,
      disk: door === "commitLog" ? { ...disk, commitLog: no } : disk,
      unit: door === "start" ? { ...unit, start: no } : unit,
    };
    const end = await runSteps(takeOver(effects, fast, world.facts(), 1_000_000));
    assert.deepEqual([end.done, world.state.bump], [false, "owed"], door);
    assert.deepEqual(await runSteps(serveAlone(world.effects, fast)), { done: true }, door);
    assert.deepEqual([world.state.bump, world.bump.times], [undefined, 1], door);
  }
});

test("a takeover whose loss is another by then tells no second BMC of itself", async () => {
  const world = gone();
  const bmc: typeof world.effects.bmc = {
    ...world.effects.bmc,
    raiseTag: async (...given) => {
      // The first one takes long, and the peer comes and goes meanwhile.
      world.ring = "2";
      return await world.effects.bmc.raiseTag(...given);
    },
  };
  const end = await runSteps(takeOver({ ...world.effects, bmc }, fast, world.facts(), 6));
  assert.match(end.done ? "" : end.why, /the peer came or went/);
  assert.deepEqual([world.tags.mine?.epoch, world.tags.theirs], [6, undefined]);
});

test("a takeover does its steps in the order of the design", async () => {
  const world = made();
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.boot.proven = true;
  const steps: string[] = [];
  assert.deepEqual(
    await runSteps(takeOver(world.effects, fast, world.facts(), 6), (step) => steps.push(step)),
    {
      done: true,
    },
  );
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
    "begin the election",
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
    assert.deepEqual(await runSteps(takeOver(effects, fast, world.facts(), 6)), { done: true });
    assert.deepEqual([asked, world.peer.on], [wanted, refusals < 99]);
  }
});

test("data whose giving up no disk takes down is given up to nobody: a fence is called for", async () => {
  const writes = { mask: "setMasked", state: "writeState", "torn file": "setStateAside" } as const;
  for (const [what, door] of Object.entries(writes)) {
    const world = made();
    const no = async () => failed("failed", "read-only file system");
    const { disk, unit } = world.effects;
    const torn = door === "setStateAside" ? { readState: async () => failed("failed", "it is torn") } : {};
    const effects = {
      ...world.effects,
      unit: { ...unit, ...(door === "setMasked" ? { setMasked: no } : {}) },
      disk: { ...disk, ...torn, ...(door === "setMasked" ? {} : { [door]: no }) },
    };
    const end = await runSteps(surrender(effects, fast, 6));
    assert.match(end.done ? "" : end.why, /read-only/, what);
    assert.deepEqual([world.etcd.hindered, world.etcd.running], ["unwritten", false], what);
    assert.deepEqual(world.said, [], "nobody is told");
  }
  const world = made();
  const writeState = async () => failed("changed", "another program wrote");
  const effects = { ...world.effects, disk: { ...world.effects.disk, writeState } };
  assert.equal((await runSteps(surrender(effects, fast, 6))).done, false);
  assert.equal(world.etcd.hindered, undefined, "it is tried again");
});

test("data that can't be given up, because its etcd stays, is given up to nobody: a fence is called for", async () => {
  const world = made();
  const stop = async () => failed("deadline", "its process stays");
  const effects = { ...world.effects, unit: { ...world.effects.unit, stop } };
  const end = await runSteps(surrender(effects, fast, 6));
  assert.equal(end.done, false);
  assert.deepEqual(
    [world.etcd.hindered, world.etcd.masked, world.state.surrendered],
    ["held", false, undefined],
  );
});

test("a takeover yields to a tag that is higher by now", async () => {
  const world = made();
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.boot.proven = true;
  world.tags = { mine: undefined, theirs: { epoch: 6, owner: "b" } };
  const end = await runSteps(takeOver(world.effects, fast, world.facts(), 6));
  assert.equal(end.done, false);
  assert.deepEqual([world.state.lineage?.epoch, world.etcd.forced], [5, 0]);
});

test("a takeover of who was promoting its peer when the power went begins no election that the peer may have a vote in", async () => {
  const world = made({ ...voter, soleVoter: true, others: "2", lineage: { epoch: 6, owner: "a" } });
  world.peer = { ...world.peer, on: false, member: false, holding: voter };
  world.boot.proven = true;
  world.state = { ...world.state, takeover: { step: "served", epoch: 6 } };
  const steps: string[] = [];
  await runSteps(serveAlone(world.effects, fast), (step) => steps.push(step));
  assert.ok(steps.includes("start etcd") && !steps.includes("begin the election"), steps.join(", "));
});
