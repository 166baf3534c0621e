import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { failed } from "../../act/effects.ts";
import { ended, type Steps } from "../../act/steps.ts";
import { FakeWorld, fast } from "../../act/testing.ts";
import { etcdOperations } from "../../render/policy.ts";
import { Notes } from "../hands/notes.ts";
import { query_ms } from "../../machine/fence-times.ts";
import { unended_ms } from "../../machine/process.ts";
import { leaveTimes, siteTimes } from "../hands/times.ts";
import { twoMachines } from "../hands/testing-site.ts";
import { systemctl_ms } from "../hands/unit.ts";
import { end_work_ms, guard_ms, hindrance_ms } from "./machine.ts";
import { awaitStop } from "./ended-stop.ts";
import { type OneShot, oneShot, pauseAfter_ms } from "./one-shot.ts";
import { ocf } from "./ocf.ts";
import { stop_budget, stopEtcd, within } from "./stop.ts";

const lineage = { epoch: 2, owner: "a" };

/** A full voter of two, with its peer the same. */
function pair(): FakeWorld {
  const world = new FakeWorld();
  world.state = { ...world.state, lineage, full: true, turn: 0 };
  world.log = { ...world.log, data: true, standing: "voter" };
  world.etcd.running = true;
  world.tags = { mine: lineage, theirs: lineage };
  const { committed: _, ...log } = world.log;
  world.peer = { ...world.peer, serving: true, holding: { ...world.holding, ...log } };
  return world;
}

async function withNotes(work: (notes: Notes) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "duet-stop-"));
  try {
    await work(new Notes(folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const recorder = (steps: string[]) => ({
  step: (name: string) => void steps.push(name),
  stepsEnd: () => {},
});

test("a stop ends the one-shot, leaves, and then etcd and its notes are gone", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    const [steps, said]: [string[], string[]] = [[], []];
    notes.set("started");
    notes.set("promoted");
    const status = await stopEtcd({
      hands: { effects: world.effects, times: fast, notes, recorder: recorder(steps) },
      endWork: async () => {
        assert.ok(notes.has("leaving"), "the one-shot must not come back");
        steps.push("end the one-shot");
      },
      isDown: async () => !world.etcd.running,
      hindrance: async () => undefined,
      callGuard: async () => {
        assert.ok(!notes.has("started"), "the guard would end at once");
        steps.push("call the guard");
      },
      say: (line) => said.push(line),
    });
    assert.equal(status, ocf.success);
    assert.equal(steps[0], "end the one-shot");
    assert.equal(steps.at(-1), "call the guard");
    assert.ok(steps.includes("be removed through the peer"), steps.join(", "));
    assert.match(said.join(), /a leaves through b/);
    assert.equal(world.etcd.running, false);
    for (const note of ["started", "promoted", "leaving"] as const)
      assert.equal(notes.has(note), false, note);
  });
});

test("a stop of what is stopped asks nobody; an etcd that can't be stopped is a failure that is told", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    const said: string[] = [];
    const stop = (effects: typeof world.effects, down: boolean) =>
      stopEtcd({
        hands: { effects, times: fast, notes, recorder: recorder([]) },
        endWork: async () => {},
        isDown: async () => down,
        hindrance: async () => undefined,
        callGuard: async () => {},
        say: (line) => said.push(line),
      });
    const silent = { ...world.effects, facts: () => assert.fail("the world was looked at") };
    assert.equal(await stop(silent, true), ocf.success);
    notes.set("started");
    // No certificate, say: it is stopped all the same.
    const broken = { ...world.effects, facts: () => Promise.reject(new Error("EIO: i/o error, read")) };
    assert.equal(await stop(broken, false), ocf.success);
    assert.match(said.join(), /stays a member: Error: EIO/);
    assert.equal(world.etcd.running, false);
    notes.set("started");
    world.peer.member = false;
    const unit = { ...world.effects.unit, stop: async () => failed("deadline", "its process stays") };
    assert.equal(await stop({ ...world.effects, unit }, false), ocf.failed);
    assert.match(said.join(), /its process stays/);
    assert.ok(notes.has("started"), "it is not stopped");
    assert.equal(notes.has("leaving"), false);
  });
});

test("where only a fence can tell the peer that etcd has ended, the stop fails, and the one-shot goes on", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    const said: string[] = [];
    notes.set("started");
    const status = await stopEtcd({
      hands: { effects: world.effects, times: fast, notes, recorder: recorder([]) },
      endWork: async () => {},
      isDown: async () => true,
      hindrance: async () => "the disk takes no word of that",
      callGuard: () => assert.fail("it is not stopped"),
      say: (line) => said.push(line),
    });
    assert.equal(status, ocf.failed);
    assert.match(said.join(), /takes no word/);
    assert.deepEqual(
      [notes.has("started"), notes.has("stop-failed"), notes.has("leaving")],
      [true, true, false],
    );
  });
});

test("a stop at its slowest is over before Pacemaker's patience", () => {
  const patience_s = etcdOperations.find(({ name }) => name === "stop")?.timeout_s ?? 0;
  const times = leaveTimes(
    siteTimes(twoMachines({ node1: "https://203.0.113.1", node2: "https://203.0.113.2" })),
  );
  const parts = {
    load: query_ms,
    endWork: end_work_ms,
    isDown: systemctl_ms,
    leave: stop_budget.leave_ms + stop_budget.lastStep_ms,
    // It asks systemd once more at its end, whatever is left then.
    stop: times.etcd_stop_ms + systemctl_ms,
    score: times.attribute_ms,
    hindrance: hindrance_ms,
    guard: guard_ms + unended_ms,
    // Of a program that can't be ended when its time is over.
    grace: unended_ms,
  };
  const slowest_ms = Object.values(parts).reduce((sum, each) => sum + each, 0);
  assert.ok(slowest_ms < patience_s * 1000, `${slowest_ms} ms: ${JSON.stringify(parts)}`);
  assert.ok(times.etcd_stop_ms < stop_budget.lastStep_ms);
});

test("a picture or a step that hangs is left behind, and etcd is stopped", async () => {
  for (const hangs of ["picture", "step"] as const)
    await withNotes(async (notes) => {
      const world = pair();
      const [steps, said]: [string[], string[]] = [[], []];
      const never = new Promise<never>(() => {});
      let pictures = 0;
      const facts = () => (++pictures > (hangs === "picture" ? 0 : 1) ? never : world.effects.facts());
      const status = await stopEtcd({
        hands: { effects: { ...world.effects, facts }, times: fast, notes, recorder: recorder(steps) },
        endWork: async () => {},
        isDown: async () => false,
        hindrance: async () => undefined,
        callGuard: async () => {},
        say: (line) => said.push(line),
        budget: { leave_ms: 20, lastStep_ms: 20 },
      });
      assert.equal(status, ocf.success, hangs);
      assert.equal(world.etcd.running, false);
      if (hangs === "picture") assert.match(said.join(), /not seen in time/);
    });
});

test("steps that would begin too late are not begun", async () => {
  const done: string[] = [];
  async function* steps(): Steps {
    for (const name of ["one", "two", "three"]) {
      yield name;
      done.push(name);
    }
    return ended;
  }
  let left_ms = 2;
  const end = await within(
    steps(),
    () => left_ms--,
    () => {},
  );
  assert.deepEqual(done, ["one"]);
  assert.deepEqual(end, { done: false, why: "there was no time left for more" });
  assert.deepEqual(
    await within(
      steps(),
      () => 1_000,
      () => {},
    ),
    ended,
  );
});

test("the one-shot works until nothing is to be done, and not at all where nothing is started or a stop is under way", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    world.peer = { ...world.peer, member: false, on: false };
    world.boot.proven = true;
    const steps: string[] = [];
    const run = () =>
      oneShot({
        hands: {
          effects: world.effects,
          times: fast,
          notes,
          recorder: recorder(steps),
          peerFirst: async () => false,
        },
        peerWord: async () => undefined,
        atPeace: () => true,
      });
    notes.set("wake");
    await run();
    assert.deepEqual(steps, []);
    notes.set("started");
    notes.set("leaving");
    await run();
    assert.deepEqual(steps, []);
    notes.drop("leaving");
    await run();
    assert.equal(world.state.lineage?.epoch, 3, "it took over");
    assert.ok(world.etcd.running && world.log.soleVoter);
    assert.equal(notes.has("wake"), false);
  });
});

test("whoever is woken while a stop runs waits for its end, and takes one that was killed for a failed one", async () => {
  await withNotes(async (notes) => {
    notes.set("leaving");
    const waits = awaitStop(notes, 60_000);
    notes.drop("leaving");
    await waits;
    assert.equal(notes.has("stop-failed"), false, "it came to its end");
    notes.set("leaving");
    await awaitStop(notes, 1);
    assert.deepEqual([notes.has("leaving"), notes.has("stop-failed")], [false, true]);
  });
});

/** Hands that tell of each look. */
const looking = (world: FakeWorld, notes: Notes, looks: () => void): OneShot["hands"] => ({
  effects: {
    ...world.effects,
    facts: async () => {
      looks();
      return world.facts();
    },
  },
  times: fast,
  notes,
  recorder: recorder([]),
  peerFirst: async () => false,
});

test("it listens for the peer's next word while the two are not whole", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    world.etcd.running = true;
    notes.set("started");
    let [looks, asked] = [0, 0];
    await oneShot({
      hands: looking(world, notes, () => {
        looks += 1;
      }),
      peerWord: async () => (++asked < 3 ? "a word" : "another"),
      atPeace: () => looks > 1,
    });
    assert.ok(looks > 1, "the other word made it look again");
  });
});

test("who is woken while it does its chores looks again at once, though all was well before", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    world.etcd.running = true;
    notes.set("started");
    let looks = 0;
    await oneShot({
      hands: looking(world, notes, () => {
        looks += 1;
      }),
      peerWord: async () => "a word",
      atPeace: () => true,
      tellMore: async () => {
        if (looks === 1) notes.set("wake");
      },
    });
    assert.equal(looks, 2);
    assert.equal(notes.has("wake"), false);
  });
});

test("who waits for a fence stays for its proof, and takes over at once", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    world.peer = { ...world.peer, member: false, on: false };
    world.boot.proven = false;
    notes.set("started");
    let waits = 0;
    await oneShot({
      hands: looking(world, notes, () => {}),
      peerWord: async () => undefined,
      atPeace: () => true,
      awaitsFence: () => {
        if (world.boot.proven) return false;
        waits += 1;
        setTimeout(() => {
          world.boot.proven = true;
          notes.set("wake");
        }, 50);
        return true;
      },
    });
    assert.equal(waits, 1);
    assert.ok(world.etcd.running && world.log.soleVoter, "it took over, and nobody had to start it again");
  });
});

test("what fails again and again is tried ever more slowly", () => {
  assert.deepEqual([1, 2, 3, 6, 7, 1_000].map(pauseAfter_ms), [250, 500, 1_000, 8_000, 10_000, 10_000]);
});

test("how steps ended is told to the record, and the journals are read when nothing is left to do", async () => {
  await withNotes(async (notes) => {
    const world = pair();
    world.peer = { ...world.peer, member: false, on: false };
    world.boot.proven = true;
    notes.set("started");
    const told: string[] = [];
    const complaints: string[] = [];
    const run = () =>
      oneShot({
        told: (end) => {
          if (!end.done) complaints.push(end.why);
          // News: they end the pause before the next try.
          notes.set("wake");
        },
        hands: {
          effects: {
            ...world.effects,
            unit: { ...world.effects.unit, start: async () => failed("failed", "it can't start") },
          },
          times: fast,
          notes,
          recorder: {
            step: () => {},
            stepsEnd: (end) => {
              if (end !== undefined) told.push(end.done ? "done" : end.why);
            },
          },
          peerFirst: async () => false,
        },
        peerWord: async () => undefined,
        atPeace: () => true,
        tellMore: async () => {
          told.push("journals");
          notes.drop("started");
        },
      });
    await run();
    assert.match(told[0] ?? "", /it can't start/);
    assert.ok(told.indexOf("journals") !== 0, "not before the takeover was tried");
    assert.ok(complaints.length > 1, "it was tried again, and each time it was told why not");
    assert.match(complaints.at(-1) ?? "", /it can't start/);
  });
});
