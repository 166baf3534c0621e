import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./judge.ts";
import { known, type Report, unknown } from "./report.ts";
import type { Wrong } from "./status.ts";
import { fromMachine, fromSeat, loneReport, now_ms } from "./testing.ts";

/** node1 serves without node2, which its record says to have left by plan; null: it did not. */
const alone = (peerLeft_ms: number | null): Report => loneReport([], { peerLeft_ms });

const left_ms = now_ms - 480_000;

function away(report: Report, power: string | undefined): Wrong {
  const powers = power === undefined ? {} : { node2: known(power) };
  const [only, ...more] = judge(fromMachine(report, powers)).wrong;
  assert.ok(only !== undefined && more.length === 0);
  assert.deepEqual([only.code, only.where], ["DUET-E-STATUS-PEER-AWAY", "node2"]);
  return only;
}

test("a machine that left by plan and is off is not promised a takeover that powers it on", () => {
  const { what, fix } = away(alone(left_ms), "Off");
  assert.match(what, /^left by plan 2026-11-15 17:52:00\sUTC \(8\smin\sago\)$/);
  assert.doesNotMatch(fix, /takeover/);
  assert.match(fix, /nobody powers it on: when its work is done, power it on, and it joins by itself/);
});

test("one that left by plan and is on, or whose power nobody can read, is said to have left, too", () => {
  const on = away(alone(left_ms), "On");
  assert.match(on.what, /^left by plan/);
  assert.match(on.fix, /^its BMC says On: it boots, hangs, /);
  assert.match(away(alone(left_ms), undefined).fix, /its BMC does not tell/);
});

test("one that was lost is powered on after the takeover, and an older duet does not tell how it went", () => {
  const { peerLeft_ms: _, ...older } = alone(null);
  for (const report of [alone(null), older]) {
    const { what, fix } = away(report, "Off");
    assert.equal(what, "is not in the cluster");
    assert.match(fix, /^node1 powers it on by itself after a takeover/);
  }
});

test("from elsewhere it is the peer's record that tells, not that of the machine which is away", () => {
  const power = { node1: known("On"), node2: known("Off") };
  const [first] = judge(fromSeat(known(alone(left_ms)), unknown("no answer"), power)).wrong;
  assert.match(first?.what ?? "", /^left by plan/);
});
