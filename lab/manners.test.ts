import assert from "node:assert/strict";
import { test } from "node:test";
import { run } from "../src/machine/process.ts";
import { idle } from "./manners.ts";

test("a command with these words before it runs with the lowest priority, whatever else the box has", async () => {
  const { stdout } = await run([...(await idle()), "nice"]);
  assert.equal(stdout.trim(), "19");
});

test("a program that the box lacks, or that is refused there, is left out", async () => {
  const words = await idle([["no-such-program"], ["false"], ["env", "A=1"]]);
  assert.deepEqual(words, ["nice", "-n", "19", "env", "A=1"]);
});
