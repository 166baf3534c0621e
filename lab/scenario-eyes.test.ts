import assert from "node:assert/strict";
import { test } from "node:test";
import { countApart } from "./scenario-eyes.ts";

test("an Off that is commanded again while the machine goes off is one, and after its return it is another", () => {
  assert.equal(countApart([], 2_000), 0);
  assert.equal(countApart([10_000], 2_000), 1);
  assert.equal(countApart([10_000, 10_900, 11_800], 2_000), 1);
  assert.equal(countApart([10_000, 11_000, 12_000, 40_000], 2_000), 3);
});
