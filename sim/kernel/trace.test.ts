import assert from "node:assert/strict";
import { test } from "node:test";
import { Trace, traceKind } from "./trace.ts";

const cut = traceKind("wire.cut", (from, to) => `${from} to ${to}`);
const role = traceKind("etcd.role", (id, what) => `${id} is ${what}`);

test("lines are made when asked for, and can be chosen by kind", () => {
  const trace = new Trace(true, 3);
  trace.note(1_500_000, cut, 0, 1);
  trace.note(1_500_001, role, 7, "leader");
  trace.note(2_000_000, cut, 1, 0);
  trace.note(3_000_000, cut, 1, 0);
  assert.deepEqual(
    [...trace.lines("etcd.")],
    ["   1.500001  etcd.role          7 is leader", "(1 more lines were not kept)"],
  );
  assert.equal([...trace.lines()].length, 4);
  const off = new Trace(false);
  off.note(0, cut, 0, 1);
  assert.equal(off.length, 0);
});

test("a note has its cells, for those who read it in their own way", () => {
  const trace = new Trace(true);
  trace.note(5, role, 7, "leader");
  assert.deepEqual(
    [...trace.notes()],
    [{ at_us: 5, kind: "etcd.role", cells: [7, "leader", 0], text: "7 is leader" }],
  );
});
