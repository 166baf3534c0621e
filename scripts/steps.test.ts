import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { StepFailed, Steps } from "./steps.ts";

test("every step runs, and the table says what failed and what was left out", async () => {
  const said: string[] = [];
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said.push(chunk.toString());
      done();
    },
  });
  const steps = new Steps(out);
  assert.equal(await steps.step("first", async () => "all good"), true);
  assert.equal(
    await steps.step("second", async () => {
      throw new Error("it broke");
    }),
    false,
  );
  await steps.quiet("third", async () => {
    throw new StepFailed("2 of 9 tests failed");
  });
  await steps.quiet("fourth", async () => "");
  steps.notRun("fifth", "no root here");
  assert.match(said.join(""), /✓ first/);
  assert.match(said.join(""), /it broke/);
  assert.equal(steps.failed, true);
  const lines = steps.table().trimEnd().split("\n");
  for (const [index, line] of [
    /^ {2}✓ first +ok +\d+\.\d s {2}all good$/,
    /^ {2}✗ second +failed +\d+\.\d s {2}see above$/,
    /^ {2}✗ third +failed +\d+\.\d s {2}2 of 9 tests failed$/,
    /^ {2}✓ fourth +ok +\d+\.\d s$/,
    /^ {2}- fifth +not run +no root here$/,
  ].entries())
    assert.match(lines[index] ?? "", line);
  assert.equal(lines.length, 5);
});

test("what was left out is no failure, what could not run because of one is", () => {
  const steps = new Steps(new Writable());
  steps.notRun("lab tests", "no root here");
  assert.equal(steps.failed, false);
  steps.blocked("lab tests", "the image failed");
  assert.equal(steps.failed, true);
});
