import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTable } from "../../bench-table.ts";
import { delay_ms, type LossCase, losses, rivals } from "./cases.ts";
import { monitorTable, parseMonitors } from "./monitor.ts";
import { type LossRun, lossTable, ofAim, type Outcome, rejoinTable, stopTable } from "./table.ts";

const run = (
  detect_ms: number,
  turn_ms: number,
  off_ms: number,
  takeover_ms: number,
  delay = 0,
): Outcome<LossRun> => ({
  ok: true,
  value: {
    whole_ms: detect_ms + turn_ms + off_ms + takeover_ms,
    detect_ms,
    turn_ms,
    off_ms,
    takeover_ms,
    survivor: "node1",
    turn: delay === 0 ? 0 : 1,
    delay_ms: delay,
  },
});
const [cut] = losses;
assert.ok(cut !== undefined);

test("the median and the worst stand under each other, with both aims as ratios", () => {
  const runs = [run(2_000, 100, 1_400, 1_500), run(2_200, 300, 1_300, 4_000), run(2_100, 200, 1_500, 1_000)];
  const { rows } = lossTable([{ bmc: "fast", loss: cut, runs }], []);
  assert.deepEqual(rows, [
    {
      name: "fast BMC: leader, cut",
      values: {
        runs: "3",
        whole_ms: 5_000,
        detect_ms: 2_100,
        turn_ms: 200,
        off_ms: 1_400,
        takeover_ms: 1_500,
        of_aim: "0.93×",
        of_rival: `${(5_000 / (rivals.fast.leader?.mean_ms ?? 0)).toFixed(2)}×`,
      },
    },
    {
      name: "  worst",
      values: {
        runs: "",
        whole_ms: 7_800,
        detect_ms: 2_200,
        turn_ms: 300,
        off_ms: 1_500,
        takeover_ms: 4_000,
        of_aim: "1.42×",
        of_rival: `${(7_800 / (rivals.fast.leader?.worst_ms ?? 0)).toFixed(2)}×`,
      },
    },
  ]);
});

test("the aim is met when all but detection, Off and the delay takes two seconds, whatever these took", () => {
  const of = (outcome: Outcome<LossRun>, more: Partial<LossRun> = {}) =>
    outcome.ok ? ofAim({ ...outcome.value, ...more }) : undefined;
  for (const detect_ms of [500, 50_000]) {
    assert.equal(of(run(detect_ms, 0, 1_000, 2_000)), 1);
    assert.equal(of(run(detect_ms, 10_000, 1_000, 2_000, 10_000)), 1);
    assert.equal(of(run(detect_ms, 10_500, 1_000, 1_500, 10_000)), 1);
    // The way to the command is no delay that anybody asked for.
    assert.equal(of(run(detect_ms, 1_500, 1_000, 500)), 1);
    assert.ok((of(run(detect_ms, 1_500, 1_000, 2_000)) ?? 0) > 1);
  }
  for (const part of ["detect_ms", "turn_ms", "off_ms", "delay_ms"])
    assert.equal(of(run(500, 0, 1_000, 2_000), { [part]: undefined }), undefined, part);
});

test("who waits for a turn is who is not first against a machine that reads On, and for as long as was stored", () => {
  const [hang, wire] = ["hang", "wire"].map((way) => losses.find((each) => each.way === way));
  assert.ok(hang !== undefined && wire !== undefined);
  assert.deepEqual(
    [0, 1, 2, undefined].map((turn) => delay_ms(hang, turn, 10_000)),
    [0, 10_000, 20_000, undefined],
  );
  assert.equal(delay_ms(hang, 1, undefined), undefined);
  for (const loss of [cut, wire]) assert.equal(delay_ms(loss, 1, 10_000), 0);
});

test("a failed run is counted and told, and its row stands without figures where there are none", () => {
  const failed = { ok: false, why: "node2: it has no power" } as const;
  const some = lossTable([{ bmc: "slow", loss: cut, runs: [failed, run(2_000, 0, 6_000, 1_000)] }], []);
  assert.equal(some.rows[0]?.values["runs"], "1 of 2");
  assert.ok(some.notes?.includes("Failed: slow BMC: leader, cut, run 1: node2: it has no power"));
  const none = lossTable([{ bmc: "slow", loss: cut, runs: [failed] }], []);
  assert.deepEqual(
    none.rows.map(({ values }) => [values["runs"], values["whole_ms"], values["of_aim"], values["of_rival"]]),
    [["0 of 1", "-", "-", "-"]],
  );
  assert.match(formatTable(none), /0 of 1 +- +- +- +- +- +- +-/);
  const stopped = stopTable([
    {
      stopped: "follower",
      runs: [failed, { ok: true, value: { gap_ms: 700, after_ms: 3_000, calm_ms: 40 } }],
    },
  ]);
  assert.deepEqual([stopped.rows[0]?.values["of_aim"], stopped.rows[0]?.values["of_rival"]], ["1.40×", "-"]);
  assert.equal(rejoinTable([{ name: "2 GB", runs: [failed] }]).rows[0]?.values["full_ms"], "-");
});

test("who survived a cut wire is told, as its name does not", () => {
  const wire = losses.find(({ lost }) => lost === "wire");
  assert.ok(wire !== undefined);
  const by = (survivor: string): Outcome<LossRun> => {
    const one = run(2_000, 0, 1_000, 1_000);
    return one.ok ? { ...one, value: { ...one.value, survivor } } : one;
  };
  const runs = [by("node1"), by("node2"), { ok: false, why: "another case" } as const, by("node1")];
  const notes = (loss: LossCase) => lossTable([{ bmc: "fast", loss, runs }], []).notes ?? [];
  assert.ok(
    notes(wire).includes(
      "fast BMC: wire cut: survived by node1 2 times, node2 once; the preferred machine led.",
    ),
  );
  assert.ok(!notes(cut).some((note) => note.includes("survived by")));
});

test("a part that one run can't tell is told for none", () => {
  const blind = run(2_000, 0, 1_000, 1_000);
  const runs = [blind, blind.ok ? { ...blind, value: { ...blind.value, turn_ms: undefined } } : blind];
  const [row] = lossTable([{ bmc: "fast", loss: cut, runs }], []).rows;
  assert.deepEqual(
    ["turn_ms", "whole_ms", "of_aim"].map((column) => row?.values[column]),
    ["-", 4_000, "-"],
  );
});

test("monitors are read as bash tells them; one of another status is an error", () => {
  const lines = [
    "nothing 0.002 0.001 0.001",
    "monitor 0.110 0.080 0.020 8",
    "look 0.250 0.150 0.030",
    "nothing 0.003 0.001 0.001",
    "monitor 0.130 0.090 0.020 8",
    "a line of somebody else's",
  ];
  const found = parseMonitors(lines.join("\n"));
  assert.deepEqual(
    found.monitor.map(({ wall_ms, cpu_ms }) => [Math.round(wall_ms), Math.round(cpu_ms)]),
    [
      [110, 100],
      [130, 110],
    ],
  );
  assert.deepEqual(found.look, [{ wall_ms: 250, cpu_ms: 180 }]);
  assert.match(formatTable(monitorTable(found)), /the look that it wakes +1 +250 +250 +180 +180/);
  assert.throws(() => parseMonitors("monitor 0.110 0.080 0.020 7"), /status 7/);
});
