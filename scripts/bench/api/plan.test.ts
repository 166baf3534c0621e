import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../../../src/base/problem.ts";
import { losses, stops } from "../failover/cases.ts";
import { hasDuet, namesIn, planOf } from "./plan.ts";

test("the long run has every loss, every planned reboot, and an outage wherever somebody goes on or comes back", () => {
  const plan = planOf({ quick: false });
  assert.deepEqual([plan.losses, plan.reboots], [losses, stops]);
  assert.deepEqual(
    plan.plain.map(({ machines, ways }) => [machines, ways]),
    [
      [1, ["cut", "reboot"]],
      [2, []],
      [3, ["cut", "hang", "reboot", "follower_cut"]],
    ],
  );
});

test("the short run leaves out what does not fit into five minutes", () => {
  const { losses: few, reboots, writes, rest, plain } = planOf({ quick: true });
  assert.deepEqual([rest, plain], [false, []]);
  assert.deepEqual(
    [few.map(({ name }) => name), reboots, writes],
    [["wire cut", "leader, cut"], ["leader"], true],
  );
});

test("by its names the short run has each part and each way of a loss once, and no machine twice in a row", () => {
  const few = ["wire cut", "leader, cut", "follower, hang"].flatMap(
    (only) => planOf({ quick: true, only }).losses,
  );
  assert.deepEqual(few.map(({ lost }) => lost).toSorted(), ["follower", "leader", "wire"]);
  assert.deepEqual(few.map(({ way }) => way).toSorted(), ["cut", "hang", "wire"]);
  const survivors = few.map(({ survivor }) => survivor);
  assert.ok(survivors.every((each, index) => each !== survivors[index + 1]));
  // A second that survives a machine that hangs waits for a turn.
  assert.ok(!few.some(({ way, survivor }) => way === "hang" && survivor === "second"));
});

test("only what has the words in its name; without anything of duet's there is no lab of its own", () => {
  const named = (only: string, quick = true) => namesIn(planOf({ quick, only }));
  assert.deepEqual(named("wire cut"), ["wire cut"]);
  assert.deepEqual(named("leader, hang", false), [
    "leader, hang, survivor first",
    "leader, hang, survivor second",
  ]);
  assert.deepEqual(named("plain"), ["one machine, plain", "three machines, plain"]);
  assert.deepEqual(named("rest"), ["memory and processor time, at rest"]);
  assert.equal(hasDuet(planOf({ quick: true, only: "plain" })), false);
  assert.equal(hasDuet(planOf({ quick: true, only: "writes" })), true);
});

test("words that are in no name are refused, with the names", () => {
  assert.throws(
    () => planOf({ quick: true, only: "wires" }),
    (error) => error instanceof DuetError && error.message.includes("; wire cut; "),
  );
});
