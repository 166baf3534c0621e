import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
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
