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
  assert.deepEqual(longestGap(acks, 600, 2_000), { begin_ms: 510, end_ms: 900 });
  assert.deepEqual(longestGap(acks, 0, 2_000), { begin_ms: 0, end_ms: 500 });
  assert.equal(longestGap([5], 0, 10), undefined);
});
