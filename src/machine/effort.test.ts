import assert from "node:assert/strict";
import { test } from "node:test";
import { effortOf, isAtWork, no_effort, parseEffort } from "./effort.ts";

test("what a process has done is read behind a name that holds anything", () => {
  const stat = "812 (a (b) c) S 1 812 812 0 -1 4194560 2 0 0 0 350 25 0 0 20 0 9 0 100 1 1";
  const io = "rchar: 9\nwchar: 8\nread_bytes: 4096\nwrite_bytes: 7\n";
  assert.deepEqual(parseEffort(stat, io), { cpu_ms: 3_750, read_bytes: 4_096 });
  assert.deepEqual(parseEffort("", ""), no_effort);
});

test("this process has done something, and one that is gone nothing", async () => {
  for (const end = performance.now() + 60; performance.now() < end; );
  assert.ok((await effortOf(process.pid)).cpu_ms > 0);
  assert.deepEqual(await effortOf(2 ** 30), no_effort);
});

test("who computes or reads is at work; who only waits is not", () => {
  const second = { ...no_effort, cpu_ms: 1_000 };
  assert.ok(isAtWork(no_effort, second, 5_000));
  assert.ok(!isAtWork(no_effort, second, 30_000));
  assert.ok(isAtWork(no_effort, { cpu_ms: 0, read_bytes: 20_000_000 }, 30_000));
  assert.ok(!isAtWork(second, second, 1_000));
});
