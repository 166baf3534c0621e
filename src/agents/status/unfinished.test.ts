import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { UnfinishedNote } from "./unfinished.ts";

const folder = await mkdtemp(join(tmpdir(), "duet-unfinished-"));
after(() => rm(folder, { recursive: true }));

test("what can't be done is kept with how long and how often, until something comes to its end", async () => {
  let now_ms = 1_000;
  const note = new UnfinishedNote(join(folder, "run"), () => now_ms);
  assert.equal(note.read(), null);
  note.note({ done: false, why: "duet's file: read-only file system" });
  now_ms = 5_000;
  note.note({ done: false, why: `the witness: ${"x".repeat(1000)}` });
  const kept = note.read();
  assert.deepEqual([kept?.since_ms, kept?.at_ms, kept?.tries, kept?.why.length], [1_000, 5_000, 2, 500]);
  now_ms += 200_000;
  note.note({ done: false, why: "another day" });
  assert.deepEqual([note.read()?.tries, note.read()?.since_ms], [1, now_ms]);
  note.note({ done: true });
  assert.equal(note.read(), null);
  await writeFile(join(folder, "run", "unfinished"), "half a li");
  assert.equal(note.read(), null);
  new UnfinishedNote("/proc/x").note({ done: false, why: "it can't be noted" });
});

test("of what can't be done for five minutes a person is told once, by whoever tries then, and anew when it comes again", () => {
  let now_ms = 0;
  const told: string[] = [];
  let wants = false;
  const call = (why: string): boolean => {
    if (wants) told.push(why);
    return wants;
  };
  const place = join(folder, "dark");
  // Each try is another process.
  const tryAgain = (after_ms: number, why = "neither BMC took the tag"): void => {
    now_ms += after_ms;
    new UnfinishedNote(place, () => now_ms).note({ done: false, why }, call);
  };
  for (let tries = 0; tries < 10; tries += 1) tryAgain(30_000);
  assert.deepEqual(told, [], "it is nothing that keeps anybody from being served");
  wants = true;
  tryAgain(30_000, "the log: no space left");
  tryAgain(30_000);
  assert.deepEqual(told, ["the log: no space left"]);
  new UnfinishedNote(place, () => now_ms).note({ done: true });
  for (let tries = 0; tries < 10; tries += 1) tryAgain(30_000);
  assert.equal(told.length, 1);
  tryAgain(30_000);
  assert.equal(told.length, 2);
});
