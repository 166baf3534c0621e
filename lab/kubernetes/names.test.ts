import assert from "node:assert/strict";
import { test } from "node:test";
import { answersIn } from "./names.ts";

test("of what nslookup prints the answer counts, and not who gave it", () => {
  const server = "Server:\t\t198.19.0.10\nAddress:\t198.19.0.10:53\n\n";
  assert.deepEqual(answersIn(`${server}Name:\tstory.default.svc.cluster.local\nAddress: 198.19.7.7\n\n`), [
    "198.19.7.7",
  ]);
  assert.deepEqual(answersIn(`${server}** server can't find story: NXDOMAIN\n`), []);
  assert.deepEqual(answersIn(""), []);
});
