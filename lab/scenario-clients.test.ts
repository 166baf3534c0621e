import assert from "node:assert/strict";
import { test } from "node:test";
import { endedWithin } from "./scenario-clients.ts";

test("a bound on writes is not kept where nobody wrote", () => {
  const of = (acknowledged: number, failed: number, longest_us: number) =>
    endedWithin({ acknowledged, failed, longest_us }, 1_000).ok;
  assert.deepEqual(endedWithin(undefined, 1_000), { ok: false, seen: "no client has written" });
  assert.equal(of(0, 0, 0), false);
  assert.equal(of(1, 0, 999_000), true);
  assert.equal(of(0, 1, 999_000), true);
  assert.equal(of(5, 0, 1_001_000), false);
});
