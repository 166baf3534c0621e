import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { done, failed } from "../../act/effects.ts";
import { FakeWorld, fast } from "../../act/testing.ts";
import { type Note, Notes } from "../hands/notes.ts";
import { tellWhileStopped } from "./stopped.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-stopped-"));
after(() => rm(folder, { recursive: true }));

/** How often it published; the first so many times Pacemaker is not up yet. */
async function told(options: {
  readonly noted?: Note;
  readonly here?: boolean;
  readonly fails?: number;
}): Promise<number> {
  const notes = new Notes(folder);
  notes.drop("started", "leaving", "wake");
  const world = new FakeWorld();
  let tries = 0;
  let published = 0;
  const publish = async () => {
    tries += 1;
    if (tries <= (options.fails ?? 0)) return failed("failed", "Pacemaker is not up");
    published += 1;
    return done;
  };
  const working = tellWhileStopped({
    notes,
    hands: async () => ({
      effects: { ...world.effects, attributes: { ...world.effects.attributes, publish } },
      times: fast,
      isPeerHere: async () => options.here !== false,
    }),
    times: { stopped_ms: 30, tell_ms: 5_000, again_ms: 10 },
  });
  if (options.noted !== undefined) notes.set(options.noted);
  await working;
  return published;
}

test("a machine on which nothing is started tells its peer what it holds, once, as soon as it can", async () => {
  assert.equal(await told({}), 1);
  assert.equal(await told({ fails: 3 }), 1);
});

test("it tells nothing where the agent does, where nobody hears it, and while it leaves", async () => {
  for (const noted of ["started", "leaving", "wake"] as const) assert.equal(await told({ noted }), 0, noted);
  assert.equal(await told({ here: false }), 0);
});
