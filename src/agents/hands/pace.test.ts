import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { done, failed, type Outcome, type StartKind } from "../../act/effects.ts";
import { FakeWorld } from "../../act/testing.ts";
import { empty, type Facts, type Holding } from "../../decide/facts.ts";
import { Notes } from "./notes.ts";
import { counting, countingSyncs, joinPause_ms, paced } from "./pace.ts";
import { room_bytes_min, roomFor } from "./room.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-pace-"));
after(() => rm(folder, { recursive: true }));

const voter: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  lineage: { epoch: 5, owner: "a" },
  full: true,
};
const failing = failed("failed", "no space left on device");

let count = 0;
class Machine {
  now_ms = 1_000;
  readonly world = new FakeWorld();
  readonly notes = new Notes(join(folder, String(++count)), () => this.now_ms);
  free_bytes: number | undefined;
  readonly effects = paced(this.world.effects, this.notes, () => this.free_bytes);
  /** Of the next starts. */
  outcome: Outcome = failing;
  forgotten = 0;

  async start(how: StartKind): Promise<void> {
    const { unit } = this.world.effects;
    await counting({ ...unit, start: async () => this.outcome }, this.notes, async () => {
      this.forgotten += 1;
    }).start(how, 1_000);
  }

  facts(changes: Partial<Facts>): Facts {
    const etcd = { running: false, leader: false, failedStarts: this.notes.failedStarts };
    return { ...this.world.facts(), etcd, ...changes };
  }
}

const away = { peer: { seen: "before", facts: empty } } as const;
const serving = {
  peer: {
    seen: "now",
    facts: { ...voter, soleVoter: true },
    serving: true,
    running: true,
    stuck: false,
    leaving: false,
  },
} as const;

test("an etcd that could not start is tried once a minute where its data must be kept, and the peer is not fenced for it", async () => {
  const machine = new Machine();
  const look = () => {
    const facts = machine.facts({ ...away, self: { ...voter, soleVoter: true } });
    return {
      etcd: machine.effects.decide("etcd", facts).decision.do,
      fence: machine.effects.decide("fence", facts).rule,
    };
  };
  for (let tries = 0; tries < 3; tries++) {
    assert.equal(look().etcd, "restart-in-place");
    await machine.start("with its data");
  }
  for (let minutes = 0; minutes < 3; minutes++) {
    machine.now_ms += 59_000;
    assert.deepEqual(look(), { etcd: "needs-human", fence: "R-FENCE-NO-ETCD" });
    machine.now_ms += 1_000;
    assert.deepEqual(look(), { etcd: "restart-in-place", fence: "R-FENCE-NO-ETCD" });
    await machine.start("with its data");
    assert.equal(look().etcd, "needs-human");
  }
  machine.now_ms += 60_000;
  machine.outcome = done;
  await machine.start("with its data");
  assert.equal(machine.notes.failedStarts, 0);
});

test("an etcd that comes up and ends soon after, again and again, has not started", async () => {
  const machine = new Machine();
  machine.outcome = done;
  const counts: number[] = [];
  for (const pause_ms of [2_000, 2_000, 2_000, 31_000, 2_000]) {
    await machine.start("with its data");
    counts.push(machine.notes.failedStarts);
    machine.now_ms += pause_ms;
  }
  assert.deepEqual(counts, [0, 1, 2, 3, 0]);
});

test("a log that can't be synced counts like a start that failed: on a read-only disk none is made", async () => {
  const machine = new Machine();
  let outcome: Outcome = failed("failed", "EROFS: read-only file system");
  const disk = countingSyncs({ ...machine.effects.disk, syncLog: async () => outcome }, machine.notes);
  for (let tries = 1; tries <= 3; tries++) {
    assert.equal((await disk.syncLog(1)).ok, false);
    assert.equal(machine.notes.failedStarts, tries);
  }
  outcome = done;
  await disk.syncLog(1);
  assert.equal(machine.notes.failedStarts, 3, "only a start says that it starts again");
});

test("a stop that failed is forgotten when etcd runs again, and not before", async () => {
  const machine = new Machine();
  machine.notes.set("stop-failed");
  await machine.start("with its data");
  assert.equal(machine.forgotten, 0);
  machine.outcome = done;
  for (const _ of [1, 2]) await machine.start("with its data");
  assert.equal(machine.forgotten, 1);
});

test("joins that fail are tried ever more slowly, and at once again when the machine was full", async () => {
  const machine = new Machine();
  const look = (self = empty) => machine.effects.decide("start", machine.facts({ ...serving, self }));
  assert.equal(look().decision.do, "join-as-learner");
  const pauses_ms: number[] = [];
  for (let tries = 0; tries < 9; tries++) {
    await machine.start("join");
    const began_ms = machine.now_ms;
    const held = look();
    assert.equal(held.decision.do, "wait");
    assert.equal(held.rule, "R-JOIN");
    assert.match(held.sentence, tries === 0 ? /the first try has failed/ : /tries have failed/);
    while (look().decision.do === "wait") machine.now_ms += 500;
    pauses_ms.push(machine.now_ms - began_ms);
  }
  assert.deepEqual(pauses_ms, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  await machine.start("join");
  assert.equal(look().decision.do, "wait");
  look(voter);
  assert.equal(look().decision.do, "join-as-learner");
});

test("a machine without room does not join, and says what it waits for", async () => {
  const machine = new Machine();
  const look = () => machine.effects.decide("start", machine.facts({ ...serving, self: empty }));
  machine.free_bytes = room_bytes_min - 1;
  assert.equal(look().decision.do, "wait");
  assert.match(look().sentence, /255 MiB are free for etcd's data, and it takes 256$/);
  for (const free of [room_bytes_min, undefined]) {
    machine.free_bytes = free;
    assert.equal(look().decision.do, "join-as-learner");
  }
  assert.ok((roomFor(join(folder, "x")) ?? 0) > 0);
  assert.equal(roomFor(join(folder, "x", "y", "z")), undefined);
});

test("a join that could not even be tried is none", async () => {
  const machine = new Machine();
  machine.outcome = failed("unreachable", "the peer does not list this machine as a member");
  await machine.start("join");
  assert.equal(machine.notes.tries("joins").count, 0);
  assert.equal(machine.notes.failedStarts, 0);
});

test("the pause is bounded for any count", () => {
  assert.equal(joinPause_ms(0), 0);
  assert.equal(joinPause_ms(1e9), 60_000);
});
