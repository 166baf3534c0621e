import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { startCompanion } from "../machine/companion.ts";
import { run } from "../machine/process.ts";

const main = join(import.meta.dirname, "main.ts");
const duet = async (...args: readonly string[]) => {
  const { status, stdout } = await run([process.execPath, main, "sim", "run", "--json", ...args], {
    accept: [0, 1],
    deadline_ms: 240_000,
  });
  const { per_second, ...result } = v.parse(v.record(v.string(), v.unknown()), JSON.parse(stdout));
  assert.equal(typeof per_second, "number");
  return { status, result };
};

test("two processes find what one finds, and count the same", async () => {
  const args = ["--seed", "7", "--schedules", "60"];
  assert.deepEqual(await duet(...args, "--jobs", "2"), await duet(...args, "--jobs", "1"));
});

test("a worker that fails ends, though its input stays open, and says what it was", async () => {
  const worker = startCompanion([process.execPath, main, "sim", "work"], 60_000);
  await assert.rejects(worker.ask("no chunk"), /status 1/);
});
