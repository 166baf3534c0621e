import assert from "node:assert/strict";
import { test } from "node:test";
import { fail } from "../../base/problem.ts";
import { runApart } from "./apart.ts";

test("a part that fails is begun anew, told of once, and no other one learns of it", async () => {
  const told: string[] = [];
  const slept: number[] = [];
  let begun = 0;
  let failures = 0;
  const goesOn = () => failures < 4;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await runApart(
    {
      steady: async () => {
        begun++;
        while (goesOn()) await turn();
      },
      weak: async () => {
        await turn();
        failures++;
        if (failures < 3) fail("DUET-E-X", "a file", "can't be read", "mend it");
        throw new Error("no watch");
      },
    },
    {
      sleep: async (ms) => {
        slept.push(ms);
        await turn();
      },
      tell: (line) => told.push(line.split("\n")[0] ?? ""),
    },
    goesOn,
  );
  assert.equal(begun, 1);
  assert.deepEqual(slept, [1_000, 1_000, 1_000, 1_000]);
  assert.deepEqual(told, [
    "weak: failed, and is tried again each second: a file: can't be read",
    "weak: failed, and is tried again each second: Error: no watch",
  ]);
});
