import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { run } from "../machine/process.ts";
import { firstLine } from "../record/encode.ts";
import { failovers } from "../record/failover.ts";
import { parseRecord } from "../record/read.ts";
import { scratch, TestRecorder } from "../record/testing.ts";
import { phase_names } from "../record/timeline.ts";
import { recordedFailover, type SimRecords, skew_ms } from "./testing-records.ts";

const main = join(import.meta.dirname, "main.ts");
const duet = (...args: readonly string[]) =>
  run([process.execPath, "--disable-warning=ExperimentalWarning", main, ...args], { accept: "any" });

/** Both recorders as folders, as they stand on machines. */
async function written(records: SimRecords, folder: string): Promise<readonly [string, string]> {
  const paths = [join(folder, "node1"), join(folder, "node2")] as const;
  for (const machine of [0, 1] as const) {
    await mkdir(paths[machine]);
    await writeFile(join(paths[machine], "00000001.jsonl"), records.text(machine));
  }
  return paths;
}

const shown = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    failovers: v.array(
      v.object({
        survivor: v.string(),
        gone: v.string(),
        epoch: v.number(),
        phases: v.array(
          v.object({ name: v.string(), at_ms: v.optional(v.number()), rule: v.optional(v.string()) }),
        ),
      }),
    ),
    damage: v.array(v.unknown()),
  }),
);

for (const lost of [0, 1] as const)
  test(`a simulated failover is told with all its phases, in their order (node${lost + 1} is lost)`, async () => {
    const { records } = await recordedFailover(7, lost);
    await using folder = await scratch();
    const paths = await written(records, folder.path);
    const { status, stdout, stderr } = await duet("explain", "--json", ...paths);
    assert.deepEqual([status, stderr], [0, ""]);
    const { failovers: found, damage } = v.parse(shown, stdout);
    assert.deepEqual(damage, []);
    const [failover] = found;
    assert.deepEqual(
      [failover?.survivor, failover?.gone, failover?.epoch],
      [`node${2 - lost}`, `node${lost + 1}`, 2],
    );
    const phases = failover?.phases ?? [];
    assert.deepEqual(
      phases.map(({ name }) => name),
      phase_names,
    );
    // Nobody in there sees the loss itself; all the rest is known.
    const times = phases.slice(1).map(({ at_ms }) => at_ms ?? Number.NaN);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    assert.ok(!times.some(Number.isNaN));
    const rules = new Map(phases.map(({ name, rule }) => [name, rule]));
    assert.deepEqual(
      [rules.get("fence asked"), rules.get("takeover"), rules.get("peer back")],
      ["R-FENCE", "R-TAKE-OVER", "R-JOIN"],
    );
    const text = await duet("explain", ...paths);
    assert.match(text.stdout, new RegExp(`^node${2 - lost} took over from node${lost + 1}, as epoch 2;`));
    assert.match(text.stdout, /R-TAKE-OVER → take-over {2}\(start\)/);
    // Not a terminal: no colours.
    assert.ok(!text.stdout.includes("\u001B"));
  });

test("times of both machines are right within what is said, though one's wall clock is wrong", async () => {
  for (const seed of [1, 2, 3]) {
    const { records } = await recordedFailover(seed, 1);
    const all = ([0, 1] as const).flatMap(
      (machine) => parseRecord(records.text(machine), `${machine}`).entries,
    );
    const [failover] = failovers(all, 1);
    const clock = failover?.clocks.at(-1);
    assert.ok(failover !== undefined && clock?.within_ms !== undefined);
    assert.equal(clock.how, "what both saw");
    assert.ok(Math.abs(Math.abs(clock.wall_ms) - skew_ms) <= clock.within_ms);
    /** When this was first written after the loss, by the world's own time. */
    const truth = (machine: 0 | 1, text: string, from_ms: number): number => {
      const { lines, truth_ms } = records.machines[machine];
      const index = lines.findIndex((line, each) => line.includes(text) && (truth_ms[each] ?? 0) >= from_ms);
      return truth_ms[index] ?? Number.NaN;
    };
    const taken_ms = truth(0, '"takeover begins"', 0);
    const at = (name: string) => failover.phases.find((phase) => phase.name === name)?.at_ms ?? Number.NaN;
    const zero_ms = taken_ms - at("takeover");
    // By the survivor's own clock: exact.
    assert.ok(Math.abs(zero_ms + at("peer back") - truth(0, '"peer back"', taken_ms)) < 1);
    for (const [name, event] of [
      ["caught up", '"learner caught up"'],
      ["full", '"full"'],
    ] as const)
      assert.ok(
        Math.abs(zero_ms + at(name) - truth(1, `"event":${event}`, taken_ms)) <= clock.within_ms + 1,
        name,
      );
  }
});

test("one machine's record alone says what is missing; its peer's, that it took nothing over", async () => {
  const { records } = await recordedFailover(7, 1);
  await using folder = await scratch();
  const [survivor, gone] = await written(records, folder.path);
  const alone = await duet("explain", survivor);
  assert.equal(alone.status, 0);
  assert.match(alone.stdout, /^Missing: node2's record is not among the files/m);
  assert.match(alone.stdout, /^caught up +- +only node2 saw it/m);
  const other = await duet("explain", join(gone, "00000001.jsonl"));
  assert.deepEqual([other.status, other.stderr], [0, ""]);
  assert.match(other.stdout, /lost no peer and took nothing over/);
});

test("a word that was refused on a machine that lost nobody is told, with what was shown as JSON", async () => {
  const record = new TestRecorder();
  const why = "a: R-NEWER-TAG: a tag names epoch 7";
  const answer = { outcome: "refused", code: "DUET-E-CONFIRM-REFUSED", why } as const;
  record.recorder().admin("root (at a terminal)", "duet confirm-peer-down", "tag of b: epoch 7 of b", answer);
  await using folder = await scratch();
  const path = join(folder.path, "record.jsonl");
  await writeFile(path, firstLine("a") + record.lines.join(""));
  const text = await duet("explain", path);
  assert.deepEqual([text.status, text.stderr], [0, ""]);
  assert.match(text.stdout, /lost no peer and took nothing over.*\n\nSaid by an admin, outside any failover/);
  assert.match(text.stdout, /^2026-01-01 00:00:01 {2}a {2}root \(at a terminal\): duet confirm-peer-down\n/m);
  assert.match(text.stdout, /→ refused \(DUET-E-CONFIRM-REFUSED\): a: R-NEWER-TAG:/);
  assert.doesNotMatch(text.stdout, /tag of b/);
  const { stdout } = await duet("explain", "--json", path);
  const told = v.parse(
    v.pipe(v.string(), v.parseJson(), v.looseObject({ words: v.array(v.unknown()) })),
    stdout,
  );
  assert.deepEqual(told.words, [
    {
      at: "2026-01-01T00:00:01.000Z",
      machine: "a",
      who: "root (at a terminal)",
      said: "duet confirm-peer-down",
      ...answer,
      shown: "tag of b: epoch 7 of b",
    },
  ]);
});

test("damaged lines are named and left out; what is no record is status 2", async () => {
  const { records } = await recordedFailover(7, 1);
  await using folder = await scratch();
  const path = join(folder.path, "record.jsonl");
  const lines = records.text(0).split("\n");
  lines[4] = "{]";
  await writeFile(path, lines.join("\n"));
  const { status, stdout, stderr } = await duet("explain", path);
  assert.equal(status, 0);
  assert.match(stderr, /record\.jsonl:5: .*\n.*\[DUET-E-RECORD-DAMAGED\]/);
  assert.match(stdout, /^node1 took over/);
  await writeFile(path, "nothing\n");
  assert.equal((await duet("explain", path)).status, 2);
  assert.equal((await duet("explain", join(folder.path, "nowhere"))).status, 2);
  assert.equal((await duet("explain", "--last", "0", path)).status, 2);
});
