import assert from "node:assert/strict";
import { test } from "node:test";
import { uneasyIn } from "./scenario-calm.ts";

test("a status is calm at 1+1 with nothing wrong, and what else it says is told", () => {
  assert.deepEqual(uneasyIn("node1", { whole: "1+1", wrong: [], more: 1 }), []);
  const wrong = [{ code: "DUET-E-X", where: "node2", what: "is odd", fix: "look" }];
  assert.deepEqual(uneasyIn("node1", { whole: "1+0", wrong }), [
    "node1 says 1+0",
    "node1 says DUET-E-X of node2: is odd",
  ]);
  assert.deepEqual(uneasyIn("node2", undefined), ["on node2 there is no status"]);
});
