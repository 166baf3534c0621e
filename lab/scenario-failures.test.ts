import assert from "node:assert/strict";
import { test } from "node:test";
import { Failures } from "./scenario-failures.ts";

test("only what fails from the mark on counts, and with other clients all that they tell", () => {
  let told: { failed: number; open: number } | undefined;
  const failures = new Failures(() => told);
  failures.mark();
  assert.equal(failures.any, false, "nobody writes");
  told = { failed: 2, open: 1 };
  assert.equal(failures.any, true);
  failures.mark();
  assert.equal(failures.any, false, "of before");
  told = { failed: 2, open: 2 };
  assert.equal(failures.any, true, "one without an answer");
  failures.mark();
  told = { failed: 1, open: 0 };
  failures.forget();
  assert.equal(failures.any, true);
});
