import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { dropLocks, locked } from "./lock.ts";

/** While this process stands still, as one that is about to end does. */
const freeNow = (file: string, wait_s: number): boolean =>
  spawnSync("flock", ["--exclusive", "--timeout", String(wait_s), file, "true"]).status === 0;

test("a lock is given up at once where its holder is about to end", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-lock-"));
  const file = join(folder, "lab.lock");
  try {
    await locked(file, async () => {
      assert.equal(freeNow(file, 0), false);
      dropLocks();
      assert.equal(freeNow(file, 10), true);
    });
    await locked(file, async () => {
      assert.equal(freeNow(file, 0), false);
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
