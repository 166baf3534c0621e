import assert from "node:assert/strict";
import { test } from "node:test";
import { formatTable } from "../../bench-table.ts";
import { losses } from "../failover/cases.ts";
import type { ApiRun } from "./loss.ts";
import type { Pressure } from "./pressure.ts";
import { duetSetting, failedSetting, type Setting, twoTable } from "./two.ts";

const windows = { settle_ms: 0, rest_ms: 30_000, press_ms: 10_000 };
const done = <T>(value: T) => ({ ok: true, value }) as const;
const failed = { ok: false, why: "no lab" } as const;

const pressure = (writes_per_s: number, p99_ms: number, failures = 0): Pressure => ({
  writes_per_s,
  p50_ms: 10,
  p99_ms,
  failed: failures,
  cpu_per_write_ms: 5,
});
const cost = (machine: string, name: string, pss_mib: number) => ({ machine, name, pss_mib, cpu_percent: 4 });

const three: Setting = {
  name: "three machines, plain",
  machines: 3,
  replaced: [],
  pressures: [done(pressure(300, 50)), done(pressure(100, 90)), done(pressure(200, 70))],
  outages: { cut: [done(1_500), done(1_200), failed] },
  rest: done([cost("node1", "everything", 600), cost("node1", "etcd", 50), cost("node2", "everything", 400)]),
};

test("a setting has its median and its worst, and of one machine at rest the mean of all", () => {
  const [median, worst] = twoTable([three], windows).rows;
  assert.deepEqual(median?.values, {
    runs: "3",
    writes_per_s: 200,
    p50_ms: 10,
    p99_ms: 70,
    cpu_per_write_ms: 5,
    cut_ms: 1_200,
    hang_ms: "-",
    reboot_ms: "-",
    follower_cut_ms: "-",
    replaced_ms: "-",
    rest_mib: 500,
    rest_percent: 4,
  });
  assert.deepEqual(
    [worst?.values["writes_per_s"], worst?.values["p99_ms"], worst?.values["cut_ms"]],
    [100, 90, 1_500],
  );
});

test("what failed is told below, and a setting of which nothing is known has no figures", () => {
  const nothing: Setting = { ...failedSetting("one", 1, failed), rest: failed };
  const text = formatTable(twoTable([three, nothing], windows));
  assert.match(text, /one +0 of 1( +-){11}\n +three machines, plain/);
  assert.match(text, /Failed: writes, one, run 1: no lab\n/);
  assert.match(text, /Failed: at rest, one: no lab\n/);
  assert.match(text, /Failed: cut, three machines, plain, run 3: no lab\n/);
});

test("a way without a single run of writes has its median and its worst too, and what was not looked at did not fail", () => {
  const outages = { follower_cut: [done(300), done(200), done(100)] };
  const only: Setting = { ...three, pressures: [], outages, rest: undefined };
  const { rows, notes = [] } = twoTable([only], windows);
  assert.deepEqual(
    rows.map(({ values }) => values["follower_cut_ms"]),
    [200, 300],
  );
  assert.ok(!notes.some((note) => note.startsWith("Failed")));
});

test("calls that were refused are told", () => {
  const some: Setting = { ...three, pressures: [done(pressure(1, 1, 2)), done(pressure(1, 1, 1))] };
  assert.match(formatTable(twoTable([some], windows)), /three machines, plain: 3 calls failed/);
});

test("duet's outages are those of its own tables; of two hangs the one that waits for a turn", () => {
  const run = (whole_ms: number): ApiRun => ({
    whole_ms,
    detect_ms: 0,
    turn_ms: 0,
    off_ms: 0,
    etcd_ms: 0,
    api_ms: 0,
    address_ms: undefined,
    survivor: "node1",
    turn: 0,
    delay_ms: 0,
    replaced_ms: whole_ms + 0.5,
  });
  const results = losses.map((loss, index) => ({ loss, runs: [done(run(index)), failed] }));
  const setting = duetSetting(
    results,
    [done({ gap_ms: 77, leave_ms: 77, away_ms: 9, rejoin_ms: 8, calm_ms: 5 }), failed],
    [failed],
    failed,
  );
  const index = (name: string) => losses.findIndex((loss) => loss.name === name);
  assert.deepEqual(setting.outages, {
    cut: [done(index("leader, cut"))],
    hang: [done(index("leader, hang, survivor second"))],
    reboot: [done(77)],
    follower_cut: [done(index("follower, cut"))],
  });
  assert.deepEqual(setting.replaced, [index("leader, cut") + 0.5]);
  assert.equal(setting.note, "hang is: leader, hang, survivor second");
});
