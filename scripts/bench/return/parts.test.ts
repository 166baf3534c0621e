import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventName, Told } from "../../../src/record/entry.ts";
import { loneParts, rebootGaps, rebootMoments } from "./parts.ts";

const zero_ms = Date.UTC(2026, 10, 15, 18);
const stamp = (after_ms: number, boot: string, by: string) => ({
  at: new Date(zero_ms + after_ms).toISOString(),
  mono_ms: after_ms,
  boot,
  machine: "node1",
  duet: "0.1.0",
  by,
  pid: 1,
  file: "x",
  line: 1,
});
const event = (after_ms: number, name: EventName, boot = "b", by = "agent"): Told => ({
  ...stamp(after_ms, boot, by),
  kind: "event",
  event: name,
  detail: {},
});
/** As it is read from the journal at 8 s. */
const ordered = (after_ms: number, what: string, of = "node1"): Told => ({
  ...stamp(8_000, "b", "agent"),
  kind: "event",
  event: "pacemaker",
  detail: { what, of, ago_ms: 8_000 - after_ms },
});
const quorum = (after_ms: number): Told => ({
  ...stamp(after_ms, "b", "guard"),
  kind: "step",
  step: "see that there is quorum",
  edge: "end",
  took_ms: 1,
  outcome: "ok",
});

test("the parts of a lone return are the whole", () => {
  const entries = [
    event(-5, "off confirmed"),
    event(2_000, "off confirmed", "b", "guard"),
    quorum(2_500),
    event(3_400, "takeover begins"),
    event(4_000, "etcd started"),
    ordered(-3_000, "start"),
    ordered(2_700, "start", "node2"),
    ordered(2_800, "pre-start"),
    ordered(3_000, "start"),
    event(9_000, "etcd started"),
  ];
  const parts = loneParts(entries, zero_ms, zero_ms + 5_000);
  assert.deepEqual(parts, {
    whole_ms: 5_000,
    boot_ms: undefined,
    off_ms: 2_000,
    quorum_ms: 500,
    order_ms: 500,
    look_ms: 400,
    takeover_ms: 600,
    write_ms: 1_000,
  });
});

test("of a part that nobody told the time is the next one's", () => {
  const entries = [quorum(2_500), event(4_000, "etcd started")];
  const { quorum_ms, order_ms, look_ms, takeover_ms } = loneParts(entries, zero_ms, zero_ms + 5_000);
  assert.deepEqual([quorum_ms, order_ms, look_ms, takeover_ms], [2_500, undefined, undefined, 1_500]);
});

test("a machine is back with the first etcd of its next boot", () => {
  const entries = [
    event(-1, "etcd stopped", "a"),
    event(1_000, "etcd stopped", "a"),
    event(1_100, "etcd started", "a"),
    event(7_000, "etcd started", "b"),
  ];
  assert.deepEqual(rebootMoments(entries, zero_ms), {
    left_ms: zero_ms + 1_000,
    started_ms: zero_ms + 7_000,
  });
  assert.deepEqual(rebootMoments([], zero_ms), { left_ms: undefined, started_ms: undefined });
});

test("of a planned reboot each part has its longest gap, and none where the record does not tell", () => {
  const acks = [900, 1_000, 1_200, 1_300, 1_900, 2_000, 2_100, 2_950, 3_000];
  const moments = { left_ms: 1_400, started_ms: 2_050 };
  // A gap over the border of two parts is one of both.
  assert.deepEqual(rebootGaps(acks, 1_050, moments, 3_000), { leave_ms: 600, away_ms: 600, rejoin_ms: 850 });
  assert.deepEqual(rebootGaps(acks, 1_050, { left_ms: 1_250, started_ms: 1_299 }, 1_310), {
    leave_ms: 200,
    away_ms: 100,
    rejoin_ms: 600,
  });
  assert.deepEqual(rebootGaps(acks, 1_050, { left_ms: undefined, started_ms: 2_050 }, 3_000), {
    leave_ms: undefined,
    away_ms: undefined,
    rejoin_ms: 850,
  });
});
