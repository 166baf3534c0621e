import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../machine/process.ts";

const module = JSON.stringify(join(import.meta.dirname, "demo-offline.ts"));
const demo = async (json: boolean) => {
  const code = `const { demoWithoutMachines } = await import(${module}); process.exitCode = await demoWithoutMachines("a test says so", ${json});`;
  return await run([process.execPath, "--input-type=module", "--eval", code], { accept: "any" });
};

test("where no machines can run a simulated failover is told, with its phases and what it can't show", async () => {
  const { status, stdout } = await demo(false);
  assert.equal(status, 0);
  assert.match(stdout, /^Can't run machines here: a test says so\.\n/);
  assert.match(stdout, /\+ 0\.0 s {2}node[12], the leader, loses its power\n/);
  assert.match(stdout, /\+ \d+\.\d s {2}1\+1: either may die again\n/);
  assert.match(stdout, /^Nothing was lost: \d+ writes acknowledged, and all can be read\.$/m);
  assert.match(stdout, /^What this can't show\n.*\n.*machines/m);
  assert.ok(stdout.split("\n").every((line) => line.length <= 120));
});

test("the same as data", async () => {
  const { status, stdout } = await demo(true);
  assert.equal(status, 0);
  const told: unknown = JSON.parse(stdout);
  assert.ok(typeof told === "object" && told !== null && "simulated" in told && "phases" in told);
  assert.equal(told.simulated, true);
  assert.ok(Array.isArray(told.phases) && told.phases.length > 10);
  assert.ok(!("broken" in told));
});
