import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { after, test } from "node:test";
import * as v from "valibot";
import { demoLab } from "./demo.ts";
import { duet, ownLabsFolder } from "./testing.ts";
import { assertWholeStory } from "./testing-story.ts";

/** The first part of `npm start`, as a user runs it. The second one is kubernetes-demo.lab.test.ts. */
const labs = ownLabsFolder();
/** A minute on a quiet box; here another lab is beside it. */
const demo_ms_max = 600_000;

after(async () => {
  await duet(["lab", "down", "--name", demoLab]);
});

const shown = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    up_ms: v.number(),
    failover: v.object({
      survivor: v.string(),
      gone: v.string(),
      epoch: v.number(),
      phases: v.array(v.object({ name: v.string(), at_ms: v.optional(v.number()) })),
      missing: v.array(v.string()),
    }),
    gap: v.object({
      whole_ms: v.number(),
      parts: v.array(v.object({ until: v.string(), took_ms: v.number() })),
    }),
    kept: v.boolean(),
  }),
);

test("the demo loses a machine, has it back, tells each phase of it, and leaves nothing behind", async () => {
  const { status, stdout, stderr } = await duet(["demo", "--json", "--without-kubernetes"], {
    deadline_ms: demo_ms_max,
  });
  assert.equal(status, 0, stderr);
  const { up_ms, failover, gap, kept } = v.parse(shown, stdout);
  assert.ok(up_ms > 0);
  assert.deepEqual([failover.survivor, failover.gone, failover.epoch], ["node1", "node2", 2]);
  // By the records of both, from the loss to 1+1.
  assertWholeStory(failover);
  // What the summary draws: the parts are the whole, and none of them is negative.
  const together_ms = gap.parts.reduce((sum, { took_ms }) => sum + took_ms, 0);
  assert.ok(Math.abs(together_ms - gap.whole_ms) < 1, JSON.stringify(gap));
  assert.ok(gap.whole_ms > 0 && gap.parts.every(({ took_ms }) => took_ms >= 0), JSON.stringify(gap));
  assert.equal(kept, false);
  assert.deepEqual(await readdir(labs), []);
});
