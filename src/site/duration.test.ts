import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDuration, parseDuration } from "./duration.ts";

test("durations are read with their unit, exactly", () => {
  assert.equal(parseDuration("1500ms"), 1500);
  assert.equal(parseDuration("1.1s"), 1100);
  assert.equal(parseDuration("2m"), 120_000);
  for (const text of ["", "5", "5 s", "-5s", "1e3s", "5h", "0.5ms", "s", "1.2345s"])
    assert.equal(parseDuration(text), undefined, text);
});

test("what is formatted reads back as the same", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 600_000 }), (ms) => {
      assert.equal(parseDuration(formatDuration(ms)), ms);
    }),
  );
});
