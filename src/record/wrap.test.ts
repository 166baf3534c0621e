import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, type Outcome } from "../act/effects.ts";
import { fencePeer } from "../act/fence.ts";
import { runSteps } from "../act/steps.ts";
import { takeOver } from "../act/takeover.ts";
import { rejoin } from "../act/rejoin.ts";
import { FakeWorld, fast, logOf, pick } from "../act/testing.ts";
import { empty, type Holding } from "../decide/facts.ts";
import { TestRecorder } from "./testing.ts";
import { wrap } from "./wrap.ts";

const voter: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  lineage: { epoch: 5, owner: "b" },
  full: true,
};

function made(): FakeWorld {
  const world = new FakeWorld();
  world.state = pick(voter);
  world.log = { ...logOf(voter), committed: false };
  world.peer = { ...world.peer, holding: voter };
  return world;
}
const lose = (world: FakeWorld) => {
  world.peer = { ...world.peer, member: false };
};

test("a fence and a takeover are recorded with their events, and end as they do without a recorder", async () => {
  const plain = made();
  const record = new TestRecorder();
  const recorded = made();
  for (const world of [plain, recorded]) lose(world);
  const recorder = record.recorder();
  const effects = wrap(recorded.effects, recorder, { silent_ms: 4_500 });
  for (const [world, hands, log] of [
    [plain, plain.effects, () => {}],
    [recorded, effects, recorder.step],
  ] as const) {
    assert.deepEqual(await runSteps(fencePeer(hands, fast), log), { done: true });
    assert.deepEqual(await runSteps(takeOver(hands, fast, world.facts(), 6), log), { done: true });
    recorder.stepsEnd({ done: true });
    assert.equal(world.peer.on, true);
  }
  assert.deepEqual(
    [recorded.state, recorded.log, recorded.etcd, recorded.tags, recorded.said],
    [plain.state, plain.log, plain.etcd, plain.tags, plain.said],
  );
  const events = record.entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  assert.deepEqual(
    events.filter((name) => name !== "etcd stopped"),
    [
      "peer lost",
      "peer lost",
      "off commanded",
      "off confirmed",
      "takeover begins",
      "may have served",
      "etcd started",
      "serves alone",
      "takeover ends",
      "peer powered on",
    ],
  );
  const steps = record.entries.flatMap((entry) =>
    entry.kind === "step" ? [`${entry.edge} ${entry.step}`] : [],
  );
  assert.ok(steps.indexOf("end write the intent") < steps.indexOf("begin start etcd"));
  assert.equal(steps.filter((step) => step.startsWith("begin")).length, steps.length / 2);
  assert.ok(record.story.includes("decision fence: R-FENCE"));
  const [lost] = record.entries;
  assert.ok(lost?.kind === "event");
  assert.deepEqual(lost.detail, { ring: "1", ago_ms: 0, silent_ms: 4_500 });
});

test("an Off of a peer that went off by itself is recorded as such", async () => {
  for (const [wentOff, detail] of [
    [true, { ring: "1", went_off: true }],
    [false, { ring: "1" }],
  ] as const) {
    const world = made();
    lose(world);
    world.peer = { ...world.peer, on: false };
    const record = new TestRecorder();
    await wrap(world.effects, record.recorder()).quorum.noteOff("1", wentOff);
    const [entry] = record.entries;
    assert.ok(entry?.kind === "event" && entry.event === "off confirmed");
    assert.deepEqual(entry.detail, detail);
  }
});

test("an etcd that does not elect itself when it is told to is recorded, and the takeover goes on", async () => {
  const world = made();
  lose(world);
  world.peer = { ...world.peer, on: false };
  world.boot = { ...world.boot, proven: true };
  const record = new TestRecorder();
  const recorder = record.recorder();
  const { effects } = world;
  const elect = async () => failed("deadline", "etcd has no leader yet");
  const mute = { ...effects, members: { ...effects.members, elect } };
  assert.deepEqual(await runSteps(takeOver(wrap(mute, recorder), fast, world.facts(), 6), recorder.step), {
    done: true,
  });
  const ends = record.entries.filter((entry) => entry.kind === "step" && entry.edge === "end");
  assert.deepEqual(
    ends.flatMap(({ step, outcome }) => (step === "begin the election" ? [outcome] : [])),
    ["deadline: etcd has no leader yet"],
  );
});

test("the way back of a learner is recorded", async () => {
  const world = made();
  world.peer = { ...world.peer, serving: true, holding: { ...voter, lineage: { epoch: 6, owner: "b" } } };
  world.learner_tries = 2;
  const record = new TestRecorder();
  const recorder = record.recorder();
  const end = await runSteps(rejoin(wrap(world.effects, recorder), fast), recorder.step);
  recorder.stepsEnd(end);
  assert.deepEqual(end, { done: true });
  const events = record.entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  assert.deepEqual(
    events.filter((name) => name !== "peer back" && name !== "1+1"),
    ["etcd stopped", "not full", "learner added", "etcd started", "learner caught up", "full"],
  );
  // What failed and was tried again is told with its step.
  assert.ok(
    record.entries.some(
      (entry) =>
        entry.kind === "step" && entry.edge === "end" && entry.outcome === "refused: the learner is behind",
    ),
  );
});

test("the first write is one that was acknowledged, is made once, and holds up nobody", async () => {
  for (const [answer, events] of [
    [{ ok: true, value: undefined }, ["first write served"]],
    [{ ok: false, failure: { kind: "deadline", said: "no answer" } }, []],
  ] as const) {
    const world = made();
    lose(world);
    world.peer = { ...world.peer, on: false };
    world.boot.proven = true;
    const record = new TestRecorder();
    const write = Promise.withResolvers<Outcome>();
    let asked = 0;
    const firstWrite = () => {
      asked++;
      return write.promise;
    };
    const effects = wrap(world.effects, record.recorder(), { firstWrite });
    assert.deepEqual(await runSteps(takeOver(effects, fast, world.facts(), 6)), { done: true });
    assert.equal(asked, 1);
    const writes = () => record.story.filter((name) => name === "first write served");
    assert.deepEqual(writes(), [], "it is not answered yet, and the takeover is over");
    write.resolve(answer);
    await write.promise;
    await Promise.resolve();
    assert.deepEqual(writes(), events);
  }
});
