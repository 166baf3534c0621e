import assert from "node:assert/strict";
import { test } from "node:test";
import { draw } from "./draw.ts";
import type { Detail, Told } from "./entry.ts";
import { failovers } from "./failover.ts";
import { eventAt } from "./testing.ts";
import type { Failover } from "./timeline.ts";

const at = (failover: Failover | undefined): readonly (readonly [string, number | undefined])[] =>
  failover?.phases.map(({ name, at_ms }) => [name, at_ms] as const) ?? [];
const only = (entries: readonly Told[]): Failover => {
  const found = failovers(entries, 10);
  assert.equal(found.length, 1);
  const [failover] = found;
  assert.ok(failover !== undefined);
  return failover;
};

/** a loses b, at 100 s of its boot. */
const survivor: readonly Told[] = [
  eventAt("a", 10_000, "peer back", { within_ms: 500 }),
  eventAt("a", 11_000, "1+1"),
  eventAt("a", 100_030, "peer lost", { ring: "7", ago_ms: 30, silent_ms: 4_000 }),
  eventAt("a", 100_200, "peer lost", { within_ms: 9_000 }),
  eventAt("a", 100_100, "fence asked"),
  eventAt("a", 101_100, "off confirmed", { ring: "7" }),
  eventAt("a", 101_200, "takeover begins", { epoch: 6 }),
  eventAt("a", 102_000, "serves alone"),
  eventAt("a", 102_100, "takeover ends", { epoch: 6 }),
  eventAt("a", 102_300, "peer powered on"),
  eventAt("a", 130_000, "peer back", { within_ms: 2_000 }),
  eventAt("a", 134_000, "1+1", { within_ms: 500 }),
];
/** b's next boot, 125 s after a's: its clock is at 5 s when they meet. */
const back = (
  mono_ms: number,
  ...rest: Parameters<typeof eventAt> extends [string, number, ...infer R] ? R : never
) =>
  eventAt("b", mono_ms, rest[0], rest[1] ?? {}, {
    boot: "b-2",
    at: new Date(Date.UTC(2026, 0, 1) + 125_000 + mono_ms).toISOString(),
  });
const returned: readonly Told[] = [
  back(5_000, "peer back"),
  back(7_000, "learner caught up"),
  back(8_500, "full"),
];

test("one machine's record tells all that it saw, and says what is missing", () => {
  const failover = only(survivor);
  assert.deepEqual(at(failover), [
    ["lost", -4_000],
    ["detected", 0],
    ["fence asked", 100],
    ["Off confirmed", 1_100],
    ["takeover", 1_200],
    ["first write served", 2_000],
    ["peer powered on", 2_300],
    ["peer back", 30_000],
    ["caught up", undefined],
    ["full", undefined],
    ["1+1", 34_000],
  ]);
  assert.deepEqual([failover.survivor, failover.epoch], ["a", 6]);
  assert.equal(failover.at, "2026-01-01T00:01:40.000Z");
  assert.equal(failover.missing.length, 1);
  assert.equal(
    failover.phases.find(({ name }) => name === "first write served")?.note,
    "by a linearizable read",
  );
});

test("with both the phases of the other are placed, and how exactly is bounded by what came before what", () => {
  const failover = only([...survivor, ...returned]);
  const times = new Map(at(failover));
  assert.equal(times.get("caught up"), 32_000);
  assert.equal(times.get("full"), 33_500);
  assert.deepEqual(failover.missing, []);
  const [clock] = failover.clocks;
  // a saw b at most 2 s late; b was full at most 0.5 s later than a can have seen it.
  assert.deepEqual(
    [clock?.machine, clock?.how, clock?.within_ms, clock?.wall_ms],
    ["b", "what both saw", 2_000, 0],
  );
});

test("a wall clock that is wrong by minutes, or jumps, moves nothing", () => {
  const wrong = (entry: Told, by_ms: number): Told => ({
    ...entry,
    at: new Date(Date.parse(entry.at) + by_ms).toISOString(),
  });
  const skewed = [...survivor, ...returned.map((entry) => wrong(entry, 200_000))];
  assert.deepEqual(at(only(skewed)), at(only([...survivor, ...returned])));
  assert.equal(only(skewed).clocks[0]?.wall_ms, 200_000);
  // An hour forward in the middle of the takeover.
  const jumped = survivor.map((entry) => (entry.mono_ms > 101_150 ? wrong(entry, 3_600_000) : entry));
  assert.deepEqual(at(only(jumped)), at(only(survivor)));
});

test("who cut the power tells when, and is no machine of the two", () => {
  const outside = eventAt("lab", 95_500, "lost", { machine: "b" });
  const failover = only([outside, ...survivor, ...returned]);
  assert.equal(failover.gone, "b");
  assert.deepEqual(failover.phases[0], {
    name: "lost",
    at_ms: -4_500,
    machine: "lab",
    rule: undefined,
    note: "told from outside",
  });
});

test("rings that both name line the clocks up, as exactly as two machines form one", () => {
  const rings = [
    ...survivor,
    ...returned,
    eventAt("a", 129_600, "membership", { ring: "8", peer: true, ago_ms: 100 }),
    back(4_600, "membership", { ring: "8", peer: true, ago_ms: 50 }),
  ];
  const failover = only(rings);
  assert.equal(failover.clocks[0]?.within_ms, 250);
  // By the rings b's clock is 124.95 s behind, not 125 s.
  assert.equal(new Map(at(failover)).get("caught up"), 31_950);
});

test("what Corosync and Pacemaker told their journals is taken before duet's own looks and time-outs", () => {
  const told = (
    mono_ms: number,
    at_ms: number,
    event: "membership" | "token lost" | "pacemaker",
    detail: Detail,
  ) => eventAt("a", mono_ms, event, { ...detail, ago_ms: mono_ms - at_ms });
  const words = [
    told(104_000, 99_490, "token lost", { waited_ms: 1_500 }),
    told(104_000, 99_990, "membership", { ring: "7", peer: false }),
    told(104_000, 100_040, "pacemaker", { what: "off asked", of: "b" }),
    told(135_000, 129_400, "membership", { ring: "8", peer: true }),
  ];
  const failover = only([...survivor, ...words, ...returned]);
  const times = new Map(at(failover));
  assert.deepEqual(
    (["lost", "detected", "fence asked", "peer back"] as const).map((name) => times.get(name)),
    [-2_000, 0, 50, 29_410],
  );
  assert.equal(failover.at, "2026-01-01T00:01:39.990Z");
  assert.equal(failover.phases[0]?.note, "Corosync's last token");
  // No token was missed: then no time-out ran, and none is made up.
  const goodbye = only([...survivor, ...words.slice(1), ...returned]);
  assert.equal(new Map(at(goodbye)).get("lost"), undefined);
  assert.match(goodbye.phases[0]?.note ?? "", /goodbye/);
  // A token was missed, and for how long it was waited is not told: then by the time-outs.
  const older = only([...survivor, told(104_000, 99_490, "token lost", {}), ...words.slice(1), ...returned]);
  assert.deepEqual([older.phases[0]?.note, older.phases[0]?.at_ms], ["by Corosync's time-outs", -4_000]);
  // Who stood still counts from when it fell silent, and its own time-out says nothing of its peer.
  const late = survivor.map((entry) =>
    entry.kind === "event" && entry.event === "peer lost"
      ? { ...entry, detail: { ...entry.detail, ago_ms: 8_000 } }
      : entry,
  );
  const stood = only([...late, ...words, ...returned]);
  assert.equal(stood.at, "2026-01-01T00:01:39.990Z");
  assert.match(stood.phases[0]?.note ?? "", /stood still/);
});

test("a loss that only a look saw says how late that can have been", () => {
  const looked = survivor.map((entry) =>
    entry.kind === "event" && entry.event === "peer lost"
      ? { ...entry, detail: { within_ms: 9_000 } }
      : entry,
  );
  assert.match(only(looked).phases[1]?.note ?? "", /up to 9\.0 s before/);
});

test("what both saw must not contradict itself: then there are only the wall clocks", () => {
  const early = returned.map((entry) =>
    entry.kind === "event" && entry.event === "full" ? { ...entry, mono_ms: 60_000 } : entry,
  );
  const [clock] = only([...survivor, ...early]).clocks;
  assert.deepEqual([clock?.how, clock?.within_ms], ["the wall clocks", undefined]);
});

test("a loss without a takeover is told as one, and a wire cut that both saw once", () => {
  const lost = survivor.slice(0, 6);
  const failover = only(lost);
  assert.equal(failover.epoch, undefined);
  assert.match(draw(failover, { columns: 80, bold: (text) => text }), /^a lost .* and did not take over$/m);
  const cutOff = [
    eventAt("b", 10_000, "peer back"),
    eventAt("b", 100_100, "peer lost", { ring: "7", ago_ms: 50 }),
  ];
  const both = failovers([...survivor, ...cutOff], 10);
  assert.deepEqual(
    both.map((each) => [each.survivor, each.epoch]),
    [["a", 6]],
  );
  // Without Corosync's word on it: b went on after the loss, so it was the wire.
  const wordless = survivor.map((entry) =>
    entry.kind === "event" && entry.event === "peer lost" ? { ...entry, detail: { ago_ms: 30 } } : entry,
  );
  assert.match(only([...wordless, ...cutOff]).phases[0]?.note ?? "", /b went on, and was cut off/);
});

test("the last of several, and what people said", () => {
  const shift = 500_000;
  const again = survivor.slice(2).map((entry) => ({
    ...entry,
    mono_ms: entry.mono_ms + shift,
    at: new Date(Date.parse(entry.at) + shift).toISOString(),
  }));
  const word = eventAt("a", 600_900, "admin", { who: "root", said: "confirm-peer-down b", shown: "" });
  const all = [
    ...survivor,
    ...again.filter((entry) => entry.kind !== "event" || entry.event !== "off confirmed"),
    word,
  ];
  assert.equal(failovers(all, 10).length, 2);
  const [last] = failovers(all, 1);
  assert.equal(last?.at, "2026-01-01T00:10:00.000Z");
  assert.equal(
    last?.phases.find(({ name }) => name === "Off confirmed")?.note,
    "instead of it: the word of root",
  );
  assert.deepEqual(
    last?.words.map(({ who }) => who),
    ["root"],
  );
});

test("a picture fits its width, whatever that is", () => {
  const failover = only([...survivor, ...returned]);
  for (const columns of [20, 80, 100, 120, 300]) {
    const width = Math.min(Math.max(columns, 80), 120);
    const lines = draw(failover, { columns, bold: (text) => text }).split("\n");
    for (const line of lines) assert.ok(line.length <= width, `${columns}: ${line}`);
    assert.ok(lines.some((line) => line.includes("█")));
  }
});

test("a picture shows the phases as they came", () => {
  const failover = only([...survivor, ...returned]);
  const early = failover.phases.map((phase) =>
    phase.name === "peer powered on" ? { ...phase, at_ms: 1 } : phase,
  );
  const shown = draw({ ...failover, phases: early }, { columns: 80, bold: (text) => text });
  const names = shown
    .split("\n")
    .flatMap((line) => /^(peer powered on|first write served) /.exec(line)?.[1] ?? []);
  assert.deepEqual(names, ["peer powered on", "first write served"]);
  assert.doesNotMatch(shown, /\d s +-\d+\.\d+ s/, "no phase takes less than nothing");
});
