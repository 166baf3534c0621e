import assert from "node:assert/strict";
import { test } from "node:test";
import { explore, shrinkFound } from "../kernel/explore.ts";
import { plants } from "../plants.ts";
import { stormRunner } from "../storm.ts";
import { storyOf } from "./story.ts";
import { scheduleText, timelineText } from "./text.ts";

const lines_max = 60;
const columns_max = 120;

async function told(seed: number) {
  return storyOf(await stormRunner()({ seed }, { trace: true }));
}

test("a run is told in order, with each of its faults, in lines that fit", async () => {
  const story = await told(5);
  const times = story.moments.map(({ at_us }) => at_us);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  const faults = story.moments.filter(({ sort }) => sort === "fault");
  assert.ok(faults.length >= 3);
  assert.ok(story.blows.length >= faults.length);
  assert.equal(story.zero_us, faults[0]?.at_us);
  const lines = timelineText(story);
  for (const { text } of faults)
    assert.ok(
      lines.some((line) => line.includes(text.slice(0, 40))),
      text,
    );
  for (const line of lines) assert.ok(line.length <= columns_max, line);
  assert.ok(story.acks.length > 10);
});

test("a run is told the same each time", async () => {
  const [one, other] = [await told(6), await told(6)];
  assert.deepEqual(timelineText(one), timelineText(other));
  assert.deepEqual(scheduleText(one), scheduleText(other));
});

test("spans do not overlap in their row, and end with the run", async () => {
  const { spans, end_us } = await told(7);
  const last = new Map<string, number>();
  for (const { row, from_us, to_us } of spans.toSorted((a, b) => a.from_us - b.from_us)) {
    assert.ok(from_us >= (last.get(row) ?? 0), row);
    assert.ok(to_us > from_us && to_us <= end_us);
    last.set(row, to_us);
  }
  assert.ok(spans.some(({ row, state }) => row === "etcd0" && state === "leads"));
});

test("what was found is a short story that ends with what broke", async () => {
  const plant = plants.find(({ name }) => name === "equal-delays");
  const run = stormRunner(plant);
  const { found } = await explore(run, { seed: 1, schedules: 200 });
  assert.ok(found);
  const small = await shrinkFound(run, found, 100);
  const story = storyOf(await run(small, { trace: true }));
  assert.equal(story.broken?.check, found.violation.check);
  assert.equal(story.moments.at(-1)?.sort, "violation");
  const lines = [...scheduleText(story), ...timelineText(story)];
  assert.ok(lines.length <= lines_max, `${lines.length} lines`);
});
