import assert from "node:assert/strict";
import { test } from "node:test";
import { acksOf, longestGap } from "./acks.ts";

const line = (kind: string, outcome: string, return_us: number) =>
  JSON.stringify({ id: 1, kind, outcome, return_us });

test("only acknowledged writes count, in the order of their answers", () => {
  const history = [
    line("put", "ok", 30_000),
    line("swap", "ok", 10_000),
    line("read", "ok", 20_000),
    line("put", "open", 22_000),
    line("create", "failed", 24_000),
    line("create", "ok", 20_500),
    JSON.stringify({ end: true, operations: 6 }),
    "",
  ];
  assert.deepEqual(acksOf(history.join("\n"), 1_000), [1_010, 1_020.5, 1_030]);
});

test("a gap that begins before is counted whole, one that ended before is not", () => {
  const acks = [0, 500, 510, 900, 1_000, 1_010];
  assert.deepEqual(longestGap(acks, 600, 1_010), { begin_ms: 510, end_ms: 900 });
  assert.deepEqual(longestGap(acks, 0, 1_010), { begin_ms: 0, end_ms: 500 });
});

test("after the last write of all it is a gap up to the end of what is looked at", () => {
  assert.deepEqual(longestGap([0, 10, 20, 120, 130], 50, 3_000), { begin_ms: 130, end_ms: 3_000 });
  assert.deepEqual(longestGap([0, 10, 20, 120, 130], 50, 140), { begin_ms: 20, end_ms: 120 });
  // It ended after what is looked at: it was there, and is counted whole.
  assert.deepEqual(longestGap([0, 10, 5_000], 5, 3_000), { begin_ms: 10, end_ms: 5_000 });
  assert.deepEqual(longestGap([5], 0, 10), { begin_ms: 5, end_ms: 10 });
  assert.equal(longestGap([20, 30], 0, 10), undefined);
  assert.equal(longestGap([], 0, 10), undefined);
});
