import assert from "node:assert/strict";
import { test } from "node:test";
import { explore, type Runner, shrinkFound, story } from "./explore.ts";
import { Kernel } from "./kernel.ts";
import { label } from "./label.ts";
import { traceKind } from "./trace.ts";

const flip = label("explore.flip");
const line = traceKind("flip", (nth, value) => `${nth}: ${value}`);

/** Twenty rare faults; the third and the tenth together break it. */
const run: Runner = async (schedule, options) => {
  const kernel = new Kernel(schedule, options);
  const values: number[] = [];
  for (let nth = 0; nth < 20; nth += 1)
    kernel.after(nth, () => {
      values.push(kernel.choices.fault(flip, 2, 200_000));
      kernel.note(line, nth, values[nth] ?? 0);
      if (nth === 12 && values[3] === 1 && values[10] === 1) kernel.fail("both", "3 and 10");
    });
  await kernel.run(100);
  return kernel;
};

test("a violation is found, shrunk to what matters, and told again byte for byte", async () => {
  const { found, schedules } = await explore(run, { seed: 1, schedules: 2_000 });
  assert.ok(found !== undefined && schedules > 1);
  const schedule = await shrinkFound(run, found);
  assert.deepEqual(
    schedule.choices?.map(({ nth }) => nth),
    [3, 10],
  );
  const told = await story(run, schedule);
  assert.deepEqual(told, await story(run, schedule));
  assert.match(told.at(-1) ?? "", /VIOLATION\s+both: 3 and 10/);
  assert.equal(told.length, 14);
  assert.equal((await story(run, schedule, "VIOLATION")).length, 1);
});

test("what breaks another check than the ones that count is passed over", async () => {
  const { found } = await explore(run, { seed: 1, schedules: 2_000, checks: ["both", "other"] });
  assert.equal(found?.violation.check, "both");
  assert.equal((await explore(run, { seed: 1, schedules: 2_000, checks: ["other"] })).found, undefined);
});

test("it ends when told to", async () => {
  let left = 3;
  const { schedules } = await explore(run, { seed: 10_000, schedules: 1_000, goOn: () => left-- > 0 });
  assert.ok(schedules <= 3);
});
