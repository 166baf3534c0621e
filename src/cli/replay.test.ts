import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as v from "valibot";
import { stormRunner } from "../../sim/storm.ts";
import { type Tables, tables } from "../decide/rules.ts";
import { run } from "../machine/process.ts";
import { draw } from "../record/draw.ts";
import { failovers } from "../record/failover.ts";
import { parseRecord } from "../record/read.ts";
import { replay } from "../record/replay.ts";
import { scratch } from "../record/testing.ts";
import { recordedFailover, SimRecords } from "./testing-records.ts";

const main = join(import.meta.dirname, "main.ts");
const duet = (...args: readonly string[]) =>
  run([process.execPath, "--disable-warning=ExperimentalWarning", main, "replay", ...args], {
    accept: "any",
  });

test("what storms recorded is decided the same once more, and can be told", async () => {
  let [decisions, told] = [0, 0];
  const rules = new Set<string>();
  for (let seed = 1; seed <= 8; seed++) {
    const records = new SimRecords();
    const { violation } = await stormRunner(records.plant)({ seed }, { trace: false });
    assert.equal(violation, undefined);
    const entries = ([0, 1] as const).flatMap((machine) => {
      const read = parseRecord(records.text(machine), `node${machine + 1}`);
      assert.deepEqual([read.cut, read.damage], [[], []]);
      return read.entries;
    });
    const replayed = replay(entries);
    assert.deepEqual(replayed.differences, [], `seed ${seed}`);
    decisions += replayed.decisions;
    for (const rule of replayed.rules.keys()) rules.add(rule);
    const found = failovers(entries, 100);
    told += found.length;
    for (const failover of found)
      assert.match(draw(failover, { columns: 100, bold: (text) => text }), /^phase/m);
  }
  assert.ok(decisions > 100 && rules.size > 20, `${decisions} decisions by ${rules.size} rules`);
  assert.ok(told >= 8, `${told} failovers`);
});

test("rules that were changed are found out, entry by entry", async () => {
  const { records } = await recordedFailover(7, 1);
  const { entries } = parseRecord(records.text(0), "node1");
  const rules = tables.takeover.rules.map((rule) =>
    rule.id === "R-TAKE-OVER" ? { ...rule, id: "R-SHY", decide: () => ({ do: "wait" }) as const } : rule,
  );
  const shy: Tables = { ...tables, takeover: { ...tables.takeover, rules } };
  const { differences } = replay(entries, shy);
  assert.ok(differences.length > 0);
  for (const { entry, recorded, replayed } of differences) {
    assert.equal(entry.machine, "node1");
    assert.ok(recorded.path.includes("R-TAKE-OVER") && replayed.path.includes("R-SHY"));
  }
  assert.deepEqual(replay(entries).differences, []);
});

const printed = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    decisions: v.number(),
    recordedBy: v.record(v.string(), v.number()),
    differences: v.array(
      v.object({ recorded: v.object({ rule: v.string() }), replayed: v.object({ rule: v.string() }) }),
    ),
  }),
);

test("status 0 the same, 1 one differs, 2 something can't be read", async () => {
  const { records } = await recordedFailover(7, 1);
  await using folder = await scratch();
  const path = join(folder.path, "record");
  const text = records.text(0);
  await writeFile(path, text);
  const same = await duet(path);
  assert.deepEqual([same.status, same.stderr], [0, ""]);
  assert.match(
    same.stdout,
    /^(\d+) of \1 decisions are the same, by \d+ rules; recorded by duet 0\.0\.1, replayed by/,
  );

  const lines = text.split("\n");
  const index = lines.findIndex((line) => line.includes('"decision":{"do":"take-over"'));
  const changed = lines.with(
    index,
    lines[index]?.replace('"decision":{"do":"take-over","epoch":2}', '"decision":{"do":"wait"}') ?? "",
  );
  await writeFile(path, changed.join("\n"));
  const differs = await duet(path);
  assert.equal(differs.status, 1);
  assert.match(
    differs.stderr,
    new RegExp(
      `^${path}:${index + 1}: node1 at .*: recorded \\{"do":"wait"\\} by .*R-TAKE-OVER; replayed \\{"do":"take-over","epoch":2\\} by`,
    ),
  );
  assert.match(differs.stderr, /recorded by duet 0\.0\.1, and this is .*\[DUET-E-RECORD-DIFFERS\]/);
  const json = await duet("--json", path);
  assert.equal(json.status, 1);
  const { differences, recordedBy } = v.parse(printed, json.stdout);
  assert.equal(differences.length, 1);
  assert.deepEqual(Object.keys(recordedBy), ["0.0.1"]);

  await writeFile(path, lines.with(index, lines[index]?.slice(0, 200) ?? "").join("\n"));
  const damaged = await duet(path);
  assert.equal(damaged.status, 2);
  assert.match(damaged.stderr, /DUET-E-RECORD-DAMAGED/);
  assert.match(damaged.stdout, /decisions are the same/);
  assert.equal((await duet(join(folder.path, "nowhere"))).status, 2);
  // A last line that was cut off is not missed.
  await writeFile(path, text.slice(0, -40));
  assert.equal((await duet(path)).status, 0);
});
