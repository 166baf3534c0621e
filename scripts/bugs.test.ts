import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { plants } from "../sim/plants.ts";
import { stormRunner } from "../sim/storm.ts";
import { bugs_path } from "./bugs.ts";
import { headText, pitfallText, plantRow, storyHead } from "./bugs-text.ts";
import { pitfalls } from "./bugs-pitfalls.ts";
import { checkout } from "./tree.ts";

test("the page of bugs says what the plants say, with a story for each and a figure that is so today", async () => {
  const text = await readFile(bugs_path, "utf8");
  assert.ok(text.startsWith(headText()), "run `npm run bugs`");
  assert.ok(text.includes(pitfallText()), "run `npm run bugs`");
  const lines = text.split("\n");
  for (const plant of plants) {
    const row = lines.find((line) => line.startsWith(plantRow(plant)));
    assert.ok(row, `no row for ${plant.name}: run \`npm run bugs\``);
    const [, schedules, check = ""] =
      /^ (\d+), [\d.]+ s \| ([^|]+) \| \d+, [\d.]+ s \|$/.exec(row.slice(plantRow(plant).length)) ?? [];
    assert.ok(Number(schedules) > 0, row);
    assert.ok(plant.checks.includes(check), row);
    const { violation } = await stormRunner(plant)({ seed: Number(schedules) }, { trace: false });
    assert.equal(violation?.check, check, `seed ${schedules} of ${plant.name}: run \`npm run bugs\``);
    assert.ok(text.includes(storyHead(plant)), plant.name);
  }
  assert.equal(text.match(/^### /gm)?.length, plants.length, "stories of plants that are gone");
});

test("every line of the list is there once, and staged, tested or owed", () => {
  assert.deepEqual(
    pitfalls.map(({ number }) => number),
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
  for (const { number, proofs = [], later } of pitfalls) {
    const planted = plants.some((plant) => plant.pitfalls.includes(number));
    assert.ok(planted || proofs.length > 0 || later !== undefined, `line ${number}`);
  }
});

test("every line names what stops it, or that it is owed", () => {
  const open = pitfalls.filter(
    ({ number, stoppedBy, later }) =>
      !plants.some((plant) => plant.pitfalls.includes(number)) &&
      stoppedBy === undefined &&
      later === undefined,
  );
  assert.deepEqual(
    open.map(({ number }) => number),
    [],
  );
});

test("the tests that the page names exist", async () => {
  for (const { proofs = [] } of pitfalls)
    for (const { file, title } of proofs)
      assert.ok((await readFile(join(checkout, file), "utf8")).includes(title), `${file}: ${title}`);
});
