import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHistory } from "./check.ts";
import { type Entry, readHistory } from "./history.ts";

const wanted = { call_ms_max: 6_000, watchers: 1, goneAllowed: false };

/** Two writes and one that stayed open and happened, seen by one watcher over a watch that ended once. */
const whole: readonly Entry[] = [
  { kind: "listed", watcher: 1, why: "begin", version: 100, items: [] },
  { kind: "call", name: "a", at_ms: 0 },
  { kind: "answer", name: "a", at_ms: 10, outcome: "ok", version: 101 },
  { kind: "event", watcher: 1, type: "ADDED", name: "a", version: 101 },
  { kind: "call", name: "b", at_ms: 20 },
  { kind: "resumed", watcher: 1, version: 101, said: "the connection ended" },
  { kind: "answer", name: "b", at_ms: 5_020, outcome: "open", said: "no answer" },
  { kind: "call", name: "c", at_ms: 5_030 },
  { kind: "answer", name: "c", at_ms: 5_040, outcome: "failed" },
  { kind: "call", name: "d", at_ms: 5_050 },
  { kind: "answer", name: "d", at_ms: 5_060, outcome: "ok", version: 120 },
  { kind: "event", watcher: 1, type: "ADDED", name: "b", version: 110 },
  { kind: "event", watcher: 1, type: "ADDED", name: "d", version: 120 },
  {
    kind: "found",
    version: 121,
    items: [
      ["a", 101],
      ["b", 110],
      ["d", 120],
    ],
  },
  { kind: "end" },
];

const problems = (entries: readonly Entry[]) => checkHistory(entries, wanted).problems.join("; ");
const without = (drop: (entry: Entry) => boolean) => whole.filter((entry) => !drop(entry));
const withOne = (entry: Entry, before: Entry["kind"]) => {
  const at = whole.findLastIndex(({ kind }) => kind === before);
  return whole.toSpliced(at, 0, entry);
};
const isEvent = (name: string) => (entry: Entry) => entry.kind === "event" && entry.name === name;
const isAnswer = (name: string) => (entry: Entry) => entry.kind === "answer" && entry.name === name;

test("a history over an outage is whole, and its figures count everything once", () => {
  assert.deepEqual(checkHistory(whole, wanted), {
    problems: [],
    acknowledged: 2,
    failed: 1,
    open: 1,
    open_happened: 1,
    events: 3,
    resumed: 1,
    gone: 0,
  });
  assert.deepEqual(readHistory(whole.map((entry) => JSON.stringify(entry)).join("\n")), whole);
});

test("an acknowledged write that is missing, or is another's", () => {
  const found = (items: readonly [string, number][]): readonly Entry[] =>
    whole.map((entry) => (entry.kind === "found" ? { ...entry, items: [...items] } : entry));
  assert.match(
    problems(
      found([
        ["a", 101],
        ["b", 110],
      ]),
    ),
    /d was acknowledged, and is missing/,
  );
  assert.match(
    problems(
      found([
        ["a", 101],
        ["b", 110],
        ["d", 119],
      ]),
    ),
    /d was acknowledged with 120, and has 119/,
  );
  assert.match(
    problems(
      found([
        ["a", 101],
        ["b", 110],
        ["c", 115],
        ["d", 120],
      ]),
    ),
    /c failed, and is there/,
  );
  assert.match(problems(without(({ kind }) => kind === "found")), /nobody could list/);
});

test("an event that comes twice, never, or as something that nobody did", () => {
  const again: Entry = { kind: "event", watcher: 1, type: "ADDED", name: "a", version: 101 };
  assert.match(problems(withOne(again, "found")), /a was seen twice/);
  assert.match(problems(without(isEvent("b"))), /watcher 1: b is there, and was never seen/);
  assert.match(
    problems(whole.map((entry) => (isEvent("d")(entry) ? { ...entry, type: "DELETED" } : entry))),
    /d was seen as DELETED/,
  );
});

test("events out of order", () => {
  const early: Entry = { kind: "event", watcher: 1, type: "ADDED", name: "d", version: 120 };
  const at = whole.findIndex(isEvent("b"));
  const swapped = without(isEvent("d")).toSpliced(at, 0, early);
  assert.match(problems(swapped), /b at 110 came after 120: out of order/);
});

test("a resourceVersion that goes back", () => {
  const back: Entry = { kind: "resumed", watcher: 1, version: 90, said: "" };
  assert.match(problems(withOne(back, "found")), /went back from 120 to 90, by a watch that was begun again/);
  const older: Entry = { kind: "listed", watcher: 1, why: "gone", version: 119, items: [] };
  assert.match(problems(withOne(older, "found")), /went back from 120 to 119, by a list/);
  assert.match(problems(withOne({ kind: "bookmark", watcher: 1, version: 1 }, "found")), /by a bookmark/);
  const late = whole.map((entry) => (isAnswer("a")(entry) ? { ...entry, version: 130 } : entry));
  assert.match(problems(late), /d has resourceVersion 120, and a, acknowledged before it began, has 130/);
});

test("a call without an end, or with a late one, and a history that was cut short", () => {
  assert.match(problems(without(isAnswer("b"))), /the call for b has no end/);
  assert.match(
    checkHistory(whole, { ...wanted, call_ms_max: 4_000 }).problems.join(),
    /the call for b took 5\.0 s/,
  );
  assert.match(problems(whole.slice(0, -1)), /no end: the clients were cut short/);
  assert.match(problems([{ kind: "end" }]), /no write was acknowledged/);
});

test("a list after 410 Gone is a problem, unless it was to be expected: then what is new in it counts as seen", () => {
  const listed: Entry = { kind: "listed", watcher: 1, why: "gone", version: 115, items: [["b", 110]] };
  const at = whole.findIndex(isEvent("b"));
  const history = whole.toSpliced(at, 1, listed);
  assert.match(problems(history), /told 1 times that what came after their version is gone/);
  const { problems: none, gone } = checkHistory(history, { ...wanted, goneAllowed: true });
  assert.deepEqual([none, gone], [[], 1]);
});

test("a watcher whose first list never came, and one that is not there at all", () => {
  const isFirst = (entry: Entry) => entry.kind === "listed";
  assert.match(problems(without(isFirst)), /watcher 1: its first list never came/);
  const two = checkHistory(whole, { ...wanted, watchers: 2 }).problems.join("; ");
  assert.match(two, /^watcher 2: its first list never came; watcher 2: a is there, and was never seen/);
});
