import assert from "node:assert/strict";
import { test } from "node:test";
import { losses } from "../failover/cases.ts";
import type { ApiRun } from "./loss.ts";
import { apiTable, ofApiAim, rebootTable } from "./table.ts";

const run: ApiRun = {
  whole_ms: 17_000,
  detect_ms: 2_000,
  turn_ms: 10_500,
  off_ms: 1_000,
  etcd_ms: 3_000,
  api_ms: 500,
  address_ms: 400,
  survivor: "node2",
  turn: 1,
  delay_ms: 10_000,
  replaced_ms: 9_000,
};

test("the aim is detection, the delay that was asked for, Off, and three seconds", () => {
  assert.equal(ofApiAim({ ...run, whole_ms: 16_000 }), 1);
  // The rest of the way to the command is no delay that anybody asked for.
  assert.equal(ofApiAim({ ...run, turn_ms: 1_500, delay_ms: 0, whole_ms: 7_500 }), 1.25);
  for (const part of ["detect_ms", "turn_ms", "off_ms", "delay_ms"])
    assert.equal(ofApiAim({ ...run, [part]: undefined }), undefined, part);
});

test("a loss is told with its parts and its aim, a wire with who survived it, a run of another case as failed", () => {
  const wire = losses.filter(({ lost }) => lost === "wire");
  const value = { ...run, turn: 0, delay_ms: 0, turn_ms: 1_500, whole_ms: 9_000 };
  const other = { ok: false, why: "node2 led right before the loss, and not node1" } as const;
  const {
    columns,
    rows,
    notes = [],
  } = apiTable(wire.map((loss) => ({ loss, runs: [{ ok: true, value }, other] })));
  assert.deepEqual(rows[0]?.values, {
    runs: "1 of 2",
    whole_ms: 9_000,
    detect_ms: 2_000,
    turn_ms: 1_500,
    off_ms: 1_000,
    etcd_ms: 3_000,
    api_ms: 500,
    address_ms: 400,
    replaced_ms: 9_000,
    of_aim: "1.50×",
  });
  assert.deepEqual(columns, Object.keys(rows[0]?.values ?? {}));
  assert.ok(notes.includes("wire cut: survived by node2 once; the preferred machine led."));
  assert.ok(notes.includes(`Failed: wire cut, run 2: ${other.why}`));
});

test("a planned reboot has the longest gap of each part, and none where one run's record does not tell", () => {
  const value = { gap_ms: 900, leave_ms: 900, away_ms: 200, rejoin_ms: 300, calm_ms: 120 };
  const of = (runs: readonly (typeof value | (Omit<typeof value, "away_ms"> & { away_ms: undefined }))[]) =>
    rebootTable([{ which: "leader", runs: runs.map((each) => ({ ok: true, value: each })) }]).rows[0]?.values;
  assert.deepEqual(of([value]), {
    runs: "1",
    p50_ms: 900,
    worst_ms: 900,
    leave_ms: 900,
    away_ms: 200,
    rejoin_ms: 300,
    before_ms: 120,
  });
  assert.equal(of([value, { ...value, away_ms: undefined }])?.["away_ms"], "-");
});
