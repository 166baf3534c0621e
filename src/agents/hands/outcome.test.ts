import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { done, failed, type Outcome } from "../../act/effects.ts";
import { fail } from "../../base/problem.ts";
import { now_ms } from "../../machine/clock.ts";
import { run } from "../../machine/process.ts";
import { within } from "./outcome.ts";

const disk_ms = 60_000;

async function kindOf(work: () => Promise<Outcome>, deadline_ms = disk_ms): Promise<string> {
  const outcome = await within(deadline_ms, work);
  return outcome.ok ? "ok" : outcome.failure.kind;
}

test("what may happen is an outcome, and a bug stays an exception", async () => {
  assert.equal(await kindOf(async () => done), "ok");
  assert.equal(await kindOf(async () => failed("changed", "x")), "changed");
  const missing = async () => {
    await readFile("/nowhere/at/all");
    return done;
  };
  assert.equal(await kindOf(missing), "failed");
  assert.equal(await kindOf(async () => fail("DUET-E-WAL-LOCKED", "x", "x", "x")), "refused");
  const slow = async () => {
    await run(["sleep", "10"], { deadline_ms: 10 });
    return done;
  };
  assert.equal(await kindOf(slow), "deadline");
  const bug = async () => {
    throw new TypeError("a bug");
  };
  await assert.rejects(kindOf(bug), TypeError);
});

test("work that never ends is not waited for", async () => {
  const begin_ms = now_ms();
  assert.equal(await kindOf(() => new Promise<Outcome>(() => {}), 50), "deadline");
  assert.ok(now_ms() - begin_ms >= 45);
});
