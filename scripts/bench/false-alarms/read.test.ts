import assert from "node:assert/strict";
import { test } from "node:test";
import { alarmsIn, countsIn } from "./read.ts";

test("Corosync's counts are read from its statistics, and one that is missing is no zero", () => {
  const stats = [
    "stats.srp.operational_entered (u64) = 3",
    "stats.srp.operational_token_lost (u64) = 2",
    "stats.srp.recovery_token_lost (u64) = 9",
  ];
  assert.deepEqual(countsIn(`${stats.join("\n")}\n`), { tokens_lost: 2, memberships: 3 });
  assert.throws(() => countsIn(stats.slice(0, 1).join("\n")), /operational_token_lost/);
});

test("losses, fences and late wakings are counted in the journal", () => {
  const journal = [
    "Requesting fencing (off) targeting node node2",
    "[MAIN  ] Corosync main process was not scheduled (@1763246400123) for 1312.7500 ms (threshold is 1200.0000 ms). Consider token timeout increase.",
    "[TOTEM ] A new membership (1.a) was formed. Members",
    "[TOTEM ] A new membership (2.d) was formed. Members left: 1",
    "[TOTEM ] A new membership (1.11) was formed. Members joined: 1",
    "[TOTEM ] A new membership (1.15) was formed. Members joined: 2 left: 2",
  ].join("\n");
  assert.deepEqual(alarmsIn(journal), { losses: 2, fences: 1, late_ms: [1312.75] });
  assert.deepEqual(alarmsIn(""), { losses: 0, fences: 0, late_ms: [] });
});
