import assert from "node:assert/strict";
import { test } from "node:test";
import { rolesIn } from "./loss.ts";

const three = ["node1", "node2", "node3"];

test("of three the leader or another goes, and its clients speak to one that stays", () => {
  for (const way of ["cut", "hang", "reboot"] as const)
    assert.deepEqual(rolesIn(three, way), { leader: "node1", gone: "node1", spokenTo: "node2" });
  assert.deepEqual(rolesIn(three, "follower_cut"), { leader: "node1", gone: "node3", spokenTo: "node2" });
});

test("one alone is spoken to itself, and comes back", () => {
  assert.deepEqual(rolesIn(["node1"], "cut"), { leader: "node1", gone: "node1", spokenTo: "node1" });
});
