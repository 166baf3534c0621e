import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Notes } from "../hands/notes.ts";
import { isCaredFor } from "./cared.ts";

test("a dead etcd is cared for while somebody works, and not for ever", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-cared-"));
  try {
    let now_ms = 1_000_000;
    let [listens, works] = [true, true];
    const cared = () =>
      isCaredFor({
        notes: new Notes(folder, () => now_ms),
        listens: async () => listens,
        works: async () => works,
      });
    assert.equal(await cared(), true);
    listens = false;
    works = false;
    assert.equal(await cared(), false, "nobody sees to it");
    works = true;
    assert.equal(await cared(), true, "it is just being started again");
    now_ms += 59_000;
    assert.equal(await cared(), true);
    now_ms += 2_000;
    assert.equal(await cared(), false, "the one-shot works, and etcd is down");
    now_ms += 3_600_000;
    assert.equal(await cared(), false, "an hour later too");
    listens = true;
    assert.equal(await cared(), true);
    listens = false;
    assert.equal(await cared(), true, "that is another time");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("where it can't be noted since when etcd is down it is told as down for long, and the monitor does not fail", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-cared-"));
  try {
    // As on a full /run: a name can be made there, and nothing be written.
    await mkdir(join(folder, "down.tmp"));
    const notes = new Notes(folder, () => 1_000_000);
    const cared = (listens: boolean) =>
      isCaredFor({ notes, listens: async () => listens, works: async () => true });
    assert.equal(await cared(false), false);
    assert.equal(await cared(true), true);
  } finally {
    await rm(folder, { recursive: true });
  }
});
