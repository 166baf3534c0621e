import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { decide } from "../decide/decide.ts";
import { empty, type Facts, type Holding, type Peer } from "../decide/facts.ts";
import { ordinary } from "../decide/model/product.ts";
import { fold_ms_max } from "./fold.ts";
import { memoryFile, memoryInProcess } from "./memory.ts";
import { openRecorder } from "./open.ts";
import { readRecord } from "./read.ts";
import { Recorder } from "./recorder.ts";
import { scratch, stampAt, TestRecorder } from "./testing.ts";

const full: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  full: true,
  lineage: { epoch: 5, owner: "a" },
};
const here: Peer = { seen: "now", facts: full, serving: true, running: true, stuck: false, leaving: false };
const runs = { running: true, leader: true, failedStarts: 0 };
const whole: Facts = { ...ordinary, self: full, peer: here, etcd: runs };
const alone: Facts = {
  ...whole,
  peer: { seen: "before", facts: full },
  etcd: { ...runs, leader: false },
};

function decideAs(test: TestRecorder, facts: Facts): void {
  test.recorder().decision("start", facts, decide("start", facts));
}

test("a decision that is made again is counted, by whichever process; one that differs is always written", () => {
  const record = new TestRecorder();
  for (let at = 0; at < 5; at++) {
    record.now_ms += 10_000;
    decideAs(record, whole);
  }
  assert.equal(record.entries.length, 1);
  decideAs(record, alone);
  decideAs(record, whole);
  assert.deepEqual(record.story, [
    `decision start: ${decide("start", whole).rule}`,
    `again start: ${decide("start", whole).rule}`,
    `decision start: ${decide("start", alone).rule}`,
    `decision start: ${decide("start", whole).rule}`,
  ]);
  const [, again] = record.entries;
  assert.ok(again?.kind === "again");
  assert.deepEqual([again.count, again.for_ms], [4, 40_000]);
});

test("now and then a decision is written in full again, and so it is after a turn of events and in the next boot", () => {
  const record = new TestRecorder();
  decideAs(record, whole);
  record.now_ms += fold_ms_max - 1;
  decideAs(record, whole);
  assert.equal(record.entries.length, 1);
  record.now_ms += 1;
  decideAs(record, whole);
  assert.deepEqual(
    record.entries.map(({ kind }) => kind),
    ["decision", "again", "decision"],
  );
  record.recorder().loss({ ring: "9", since_ms: 20, wentOff: false });
  decideAs(record, whole);
  assert.deepEqual(
    record.entries.slice(3).map(({ kind }) => kind),
    ["event", "decision"],
  );
  record.boot = "boot-2";
  decideAs(record, whole);
  assert.equal(record.entries.length, 6);
});

test("pictures tell what is new, with the time in which it can have happened", () => {
  const record = new TestRecorder();
  const look = (facts: Facts) => {
    const begun_ms = record.now_ms;
    record.now_ms += 100;
    record.recorder().look(facts, begun_ms);
    record.now_ms += 9_900;
  };
  look({ ...whole, peer: { seen: "never" } });
  for (const facts of [whole, whole, alone, alone, { ...whole, self: { ...full, full: false } }, whole])
    look(facts);
  assert.deepEqual(record.story, ["peer back", "1+1", "peer lost", "peer back", "1+1"]);
  const [back] = record.entries;
  assert.ok(back?.kind === "event");
  assert.deepEqual(back.detail, { within_ms: 10_100 });
  // Who said goodbye is not lost.
  look({ ...whole, peer: { ...here, leaving: true } });
  look(alone);
  assert.equal(record.story.at(-1), "peer left");
});

test("1+1 is two full voters of the same data with a leader, and nothing less", () => {
  const other = { ...full, lineage: { epoch: 6, owner: "b" } };
  for (const less of [
    { ...whole, self: { ...full, full: false } },
    { ...whole, peer: { ...here, facts: { ...full, full: false } } },
    { ...whole, peer: { ...here, facts: other } },
    { ...whole, peer: { ...here, facts: undefined } },
    { ...whole, etcd: { ...runs, leader: false } },
    { ...whole, etcd: { ...runs, running: false } },
    alone,
  ] satisfies Facts[]) {
    const record = new TestRecorder();
    record.recorder().look(less, 0);
    assert.ok(!record.story.includes("1+1"), JSON.stringify(less));
  }
});

test("a loss is told once for each membership, and a step's end says what went wrong in it", () => {
  const record = new TestRecorder();
  for (const ring of ["1", "1", "2"]) record.recorder().loss({ ring, since_ms: undefined, wentOff: false });
  record.recorder().loss({ ring: "3", since_ms: 5, wentOff: true });
  assert.deepEqual(record.story, ["peer lost", "peer lost", "peer left"]);
  const recorder = record.recorder();
  recorder.step("one");
  record.now_ms += 7;
  recorder.failed({ kind: "deadline", said: "no answer" });
  recorder.step("two");
  recorder.stepsEnd({ done: false, why: "the peer is here" });
  recorder.stepsEnd();
  const ends = record.entries.flatMap((entry) =>
    entry.kind === "step" && entry.edge === "end" ? [entry] : [],
  );
  assert.deepEqual(
    ends.map(({ step, took_ms, outcome }) => [step, took_ms, outcome]),
    [
      ["one", 7, "deadline: no answer"],
      ["two", 0, "the peer is here"],
    ],
  );
});

test("a person's word is synced, with what was shown; what a takeover waits for is not", () => {
  const record = new TestRecorder();
  for (const name of [
    "peer lost",
    "fence asked",
    "off confirmed",
    "takeover begins",
    "may have served",
  ] as const)
    record.recorder().event(name);
  assert.deepEqual(record.synced, []);
  record.recorder().admin("root", "confirm-peer-down b", "b does not answer");
  assert.equal(record.synced.length, 1);
  assert.match(
    record.synced[0] ?? "",
    /"who":"root","said":"confirm-peer-down b","shown":"b does not answer","outcome":"accepted"\}/,
  );
  const answer = { outcome: "refused", code: "DUET-E-X", why: "R-Y: it is newer" } as const;
  record.recorder().admin("root", "confirm-peer-down b", "", answer);
  const entry = record.entries.at(-1);
  assert.ok(entry?.kind === "event");
  assert.deepEqual(entry.detail, { who: "root", said: "confirm-peer-down b", shown: "", ...answer });
  assert.equal(record.synced.length, 2);
});

test("the end of a takeover and 1+1 are synced: a power cut does not take them", () => {
  const record = new TestRecorder();
  record.recorder().event("takeover ends", { epoch: 2 });
  record.recorder().event("1+1");
  assert.equal(record.synced.length, 2);
});

test("the journals are read after each turn, until nothing more comes of it, and told with their own times", () => {
  const record = new TestRecorder();
  assert.ok(record.recorder().unread, "at first nobody has read them");
  const peer = { id: 2, name: "b" };
  record.now_ms = 5_000;
  record.recorder().clusterWords(
    [
      { at_ms: 4_000.5, kind: "token lost", waited_ms: 1_500 },
      { at_ms: 4_500, kind: "membership", ring: "1.d", members: [1] },
      { at_ms: 4_510, kind: "pacemaker", what: "peer member", of: "a" },
      { at_ms: 4_520, kind: "pacemaker", what: "off asked", of: "b" },
    ],
    peer,
  );
  assert.ok(!record.recorder().unread, "there was no event since");
  assert.deepEqual(
    record.entries.map((entry) => entry.kind === "event" && [entry.event, entry.detail]),
    [
      ["token lost", { waited_ms: 1_500, ago_ms: 999.5 }],
      ["membership", { ring: "1.d", peer: false, ago_ms: 500 }],
      ["pacemaker", { what: "off asked", of: "b", ago_ms: 480 }],
    ],
  );
  record.recorder().event("peer back");
  record.recorder().clusterWords([], peer);
  assert.ok(record.recorder().unread, "Pacemaker is still at work on it");
  record.now_ms += 31_000;
  record.recorder().clusterWords([], peer);
  assert.ok(!record.recorder().unread);
});

test("a sink that throws, whatever it throws, stops nobody", () => {
  const throwing = {
    append: () => {
      throw new TypeError("a bug");
    },
  };
  const recorder = new Recorder(throwing, () => stampAt(1_000), memoryInProcess());
  recorder.event("1+1");
  recorder.decision("start", whole, decide("start", whole));
});

test("on a machine: clocks that all processes share, and a memory that outlives them, or is broken", async () => {
  await using folder = await scratch();
  const where = { record: join(folder.path, "record"), run: join(folder.path, "run") };
  const open = () => openRecorder("a", "agent", ({ what }) => assert.fail(what), where);
  const before_ms = Number(process.hrtime.bigint() / 1_000_000n);
  for (let at = 0; at < 3; at++) open().decision("start", whole, decide("start", whole));
  assert.equal((await readRecord([where.record])).entries.length, 1);
  assert.equal(memoryFile(join(where.run, "record.json")).load()?.folds.start?.count, 2);
  await writeFile(join(where.run, "record.json"), '{"boot":"x","folds":{"start":7}}');
  open().decision("start", whole, decide("start", whole));
  const { entries } = await readRecord([where.record]);
  assert.equal(entries.length, 2);
  for (const { mono_ms, boot, duet } of entries) {
    assert.ok(mono_ms >= before_ms && mono_ms <= Number(process.hrtime.bigint() / 1_000_000n) + 1);
    assert.match(boot, /^[0-9a-f-]{36}$/);
    assert.match(duet, /^\d+\.\d+\.\d+/);
  }
});
