import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bounds, judgeProbes } from "./check-probes.ts";
import { type Entry, readHistory } from "./history.ts";
import type { Probed } from "./probed.ts";

const start_ms = Date.parse("2026-11-20T10:00:00Z");
let count = 0;

/** A probe at that second, and how long it took; no end: it is still under way. */
function probe(machine: string, what: Probed, at_s: number, took_s?: number, end: object = { status: 200 }) {
  count += 1;
  const id = String(count);
  const at_ms = start_ms + at_s * 1000;
  const ask: Entry = { kind: "ask", id, machine, what, at_ms };
  const told: Entry = { kind: "told", id, at_ms: at_ms + (took_s ?? 0) * 1000, ended: true, ...end };
  return took_s === undefined ? [ask] : [ask, told];
}

const both = (what: Probed) => [...probe("node1", what, 0, 0.1), ...probe("node2", what, 0, 0.2)];
const always = () => true;
const judged = (
  entries: readonly Entry[],
  bounds: Bounds,
  lived: (machine: string, from_ms: number, to_ms: number) => boolean = always,
) => judgeProbes(entries, bounds, lived, start_ms + 100_000);
const problems = (...given: Parameters<typeof judged>) => judged(...given).problems.join("; ");

test("answers and refused connections within their bounds are well, and the longest is told", () => {
  const history = [
    ...both("write"),
    ...both("read"),
    ...probe("node1", "write", 5, 7.1, { status: 500 }),
    ...probe("node2", "read", 5, 20, { said: "no connection: ECONNREFUSED" }),
  ];
  assert.deepEqual(judged(history, { write: 10_000, read: 61_000 }), {
    problems: [],
    longest_ms: { write: 7_100, read: 20_000 },
  });
  assert.deepEqual(readHistory(history.map((entry) => JSON.stringify(entry)).join("\n")), history);
});

test("a late answer, and one that never came, of a machine that lives", () => {
  const late = [...both("write"), ...probe("node1", "write", 5, 7.1, { status: 500 })];
  assert.match(
    problems(late, { write: 7_000 }),
    /node1's API server was asked for a write at 10:00:05\.000 and said after 7\.1 s: status 500/,
  );
  const open = [...both("write"), ...probe("node2", "write", 50)];
  assert.match(problems(open, { write: 30_000 }), /node2's API server .* said nothing for 50\.0 s/);
  assert.equal(problems(open, { write: 60_000 }), "");
  const given = [...both("read"), ...probe("node2", "read", 5, 70, { ended: false, said: "no answer" })];
  assert.match(problems(given, { read: 60_000 }), /said after 70\.0 s: no answer/);
});

test("a bound for the one is none for the other", () => {
  const history = [...both("write"), ...probe("node1", "read", 5, 30)];
  assert.equal(problems(history, { write: 10_000 }), "");
  assert.equal(judged(history, { write: 10_000 }).longest_ms.read, 30_000);
});

test("who is off or hangs owes no answer; it lived for the bound, or not at all", () => {
  const history = [...both("read"), ...probe("node2", "read", 5, 70, { ended: false })];
  const asked: (readonly [string, number, number])[] = [];
  const off = (machine: string, from_ms: number, to_ms: number) => {
    asked.push([machine, from_ms - start_ms, to_ms - start_ms]);
    return false;
  };
  assert.deepEqual(judged(history, { read: 60_000 }, off), {
    problems: [],
    longest_ms: { write: 0, read: 200 },
  });
  assert.deepEqual(asked, [["node2", 5_000, 65_000]]);
});

/** A write of the writers' that was acknowledged at that second. */
const acknowledged = (at_s: number): Entry => ({
  kind: "answer",
  name: `w1-${at_s}`,
  outcome: "ok",
  version: at_s + 1,
  at_ms: start_ms + at_s * 1000,
});

test("in an outage that is long enough who lives answers with a status, and does not only refuse", () => {
  const outage: Entry[] = [...both("write"), acknowledged(1), acknowledged(70), { kind: "end" }];
  const refusing = [10, 20, 40].flatMap((at_s) =>
    probe("node1", "write", at_s, 0.1, { said: "no connection: ECONNREFUSED" }),
  );
  const answering = probe("node2", "write", 5, 45, { status: 500 });
  const dead = [...outage, ...refusing, ...answering];
  assert.equal(
    problems(dead, { write: 50_000 }),
    "in 69 s without an acknowledged write node1's API server answered no write, not even with an error",
  );
  assert.equal(
    problems([...dead, ...probe("node1", "write", 15, 45, { status: 504 })], { write: 50_000 }),
    "",
  );
  // Its power was off for a part of it; and nothing was said of writes.
  const off = (machine: string) => machine !== "node1";
  assert.equal(problems(dead, { write: 50_000 }, off), "");
  assert.equal(
    problems([...dead, ...both("read"), ...probe("node2", "read", 30, 1)], { read: 61_000 }, off),
    "",
  );
});

/** node1 and node2 answered; no write was acknowledged from the first to the second of these seconds. */
const outageOf = (from_s: number, to_s: number): Entry[] => [
  { kind: "end" },
  ...both("write"),
  acknowledged(from_s),
  acknowledged(to_s),
  ...probe("node2", "write", from_s + 1, 8, { status: 500 }),
];
const refused = { said: "no connection: ECONNREFUSED" };
const dumb =
  "in 20 s without an acknowledged write node1's API server answered no write, not even with an error";
const bounds = { write: 50_000 };

test("in a shorter one, too, what was asked in it is answered: with an error, or late", () => {
  const outage = outageOf(1, 21);
  const refusing = [2, 5, 20].flatMap((at_s) => probe("node1", "write", at_s, 0.1, refused));
  assert.equal(problems([...outage, ...refusing], bounds), dumb);
  assert.equal(
    problems([...outage, ...refusing, ...probe("node1", "write", 6, 7, { status: 500 })], bounds),
    "",
  );
  assert.equal(problems([...outage, ...refusing, ...probe("node1", "write", 19, 40)], bounds), "");
  // A call from before it says nothing of it, and none from behind it; nor does a read.
  const beside = [
    ...probe("node1", "write", 0.5, 10),
    ...probe("node1", "write", 21.5, 0.1),
    ...probe("node1", "read", 5, 1),
  ];
  assert.equal(problems([...outage, ...refusing, ...beside], bounds), dumb);
  // Not asked at all.
  assert.equal(problems(outage, bounds), dumb);
  // Its power was off.
  assert.equal(
    problems([...outage, ...refusing], bounds, (machine) => machine !== "node1"),
    "",
  );
});

test("who may still answer is not judged yet, and neither is an API server that was not there when it began", () => {
  const outage = outageOf(80, 96);
  const refusing = probe("node1", "write", 82, 0.1, refused);
  assert.match(problems([...outage, ...refusing], bounds), /^in 16 s .* node1's /);
  assert.equal(problems([...outage, ...refusing, ...probe("node1", "write", 85)], bounds), "");
  const starting = probe("node1", "write", 79, 0.1, refused);
  assert.equal(problems([...outage, ...starting, ...refusing], bounds), "");
  const up = probe("node1", "write", 79.5, 0.1);
  assert.match(problems([...outage, ...up, ...starting, ...refusing], bounds), /^in 16 s .* node1's /);
  // As long as a frozen API server costs.
  assert.equal(problems([...outageOf(80, 95), ...refusing], bounds), "");
});

test("an outage that goes on counts as far as it has come, and none is behind the clients' end", () => {
  const open = [...both("write"), acknowledged(1)];
  assert.match(problems(open, { write: 50_000 }), /^in 99 s .* node1's .*; in 99 s .* node2's /);
  assert.equal(problems([...open, { kind: "end" }], { write: 50_000 }), "");
});

test("no probe, a machine that never answered, and a bound that nobody could see broken", () => {
  assert.match(problems([], { write: 10_000 }), /the API servers of the two machines were not asked/);
  assert.match(problems(probe("node1", "read", 0, 1), { read: 10_000 }), /were not asked/);
  const refused = [
    ...both("write"),
    ...probe("node1", "read", 0, 0.1),
    ...probe("node2", "read", 0, 0.1, { said: "no connection: ECONNREFUSED" }),
  ];
  assert.match(problems(refused, { read: 10_000 }), /node2's API server never answered a read/);
  assert.match(problems(both("read"), { read: 90_000 }), /nobody waits for a read that long/);
});
