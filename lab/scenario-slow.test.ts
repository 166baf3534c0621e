import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../src/machine/process.ts";
import { judgeSlow } from "./scenario-slow.ts";

test("a disk counts as slow when its synced writes are, by dd's own words", async () => {
  const said = (seconds: string) =>
    `10+0 records in\n10+0 records out\n40960 bytes (41 kB, 40 KiB) copied, ${seconds} s, 78 kB/s\n`;
  assert.equal(judgeSlow(said("0.52"), 50).ok, true);
  assert.equal(judgeSlow(said("0.2"), 50).ok, false);
  assert.deepEqual(judgeSlow(said("0.0012"), 50), { ok: false, seen: "a synced write takes 0 ms" });
  assert.equal(judgeSlow(said("9.1e-05"), 50).ok, false);
  assert.match(judgeSlow("dd: failed to open", 50).seen, /failed to open/);
  const real = await run(["dd", "if=/dev/zero", "of=/dev/null", "bs=4096", "count=10"]);
  // What it takes on a busy box is not the question: the words are.
  const { ok, seen } = judgeSlow(real.stderr, 10_000);
  assert.equal(ok, false);
  assert.match(seen, /^a synced write takes \d+ ms$/);
});
