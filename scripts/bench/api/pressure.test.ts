import assert from "node:assert/strict";
import { test } from "node:test";
import { pressureOf } from "./pressure.ts";

const call = (begin_ms: number, end_ms: number, ok = true) => ({ begin_ms, end_ms, ok });

test("what was answered within the window counts, whenever it began", () => {
  const calls = [call(0, 900), call(950, 1_050), call(1_050, 1_250), call(2_500, 2_900), call(2_900, 3_100)];
  const { writes_per_s, p50_ms, p99_ms, failed } = pressureOf({ begin_ms: 1_000, end_ms: 3_000, calls }, 0);
  assert.deepEqual([writes_per_s, p50_ms, p99_ms, failed], [1.5, 200, 400, 0]);
});

test("a call that failed is no write, and is counted as failed", () => {
  const calls = [call(0, 10), call(10, 5_000, false), call(20, 40)];
  const { writes_per_s, p99_ms, failed } = pressureOf({ begin_ms: 0, end_ms: 10_000, calls }, 0);
  assert.deepEqual([writes_per_s, p99_ms, failed], [0.2, 20, 1]);
});

test("processor time is shared among all writes of the program, those before the window too", () => {
  const calls = [call(0, 10), call(10, 20), call(20, 30), call(30, 40, false)];
  assert.equal(pressureOf({ begin_ms: 15, end_ms: 100, calls }, 90).cpu_per_write_ms, 30);
});
