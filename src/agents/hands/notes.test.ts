import assert from "node:assert/strict";
import { watch } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sinceBoot_ms } from "../../machine/clock.ts";
import { Notes } from "./notes.ts";

test("notes are there or not, in a folder that need not be there", async () => {
  const above = await mkdtemp(join(tmpdir(), "duet-notes-"));
  try {
    const folder = join(above, "run");
    const notes = new Notes(folder);
    assert.equal(notes.has("started"), false);
    notes.drop("started", "wake");
    assert.equal(notes.take("wake"), false);
    for (const _ of [1, 2]) notes.set("started");
    assert.equal(new Notes(folder).has("started"), true, "another process sees it");
    notes.set("wake");
    assert.equal(notes.take("wake"), true);
    assert.equal(notes.take("wake"), false, "it is taken once");
    notes.drop("started");
    assert.equal(notes.has("started"), false);
  } finally {
    await rm(above, { recursive: true });
  }
});

test("who waits for a note is woken by it, and by nothing else than the end of its time", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-notes-"));
  try {
    const notes = new Notes(join(folder, "run"));
    const woken = () => notes.has("wake");
    const waiting = notes.until(woken, 60_000);
    new Notes(join(folder, "run")).set("publish");
    new Notes(join(folder, "run")).set("wake");
    await waiting;
    assert.ok(woken());
    await notes.until(woken, 60_000);
    notes.drop("wake");
    await notes.until(woken, 20);
    assert.ok(!woken(), "its time was over");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("without a watch to have, or with one that breaks off, a note is seen all the same", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-notes-"));
  try {
    const none = () => {
      throw Object.assign(new Error("EMFILE: too many open files, watch"), { code: "EMFILE" });
    };
    const broken = (path: string) => {
      const watcher = watch(path);
      setImmediate(() => {
        watcher.close();
        watcher.emit("error", new Error("ENOSPC"));
      });
      return watcher;
    };
    for (const watchFolder of [none, broken]) {
      const notes = new Notes(folder, sinceBoot_ms, watchFolder);
      const woken = () => notes.has("wake");
      await notes.until(woken, 20);
      assert.ok(!woken(), "its time was over");
      const waiting = notes.until(woken, 60_000);
      setTimeout(() => new Notes(folder).set("wake"), 50);
      await waiting;
      assert.ok(notes.take("wake"));
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a look that fails ends the wait with its error, and not the process", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-notes-"));
  try {
    const notes = new Notes(folder);
    const look = () => {
      if (notes.has("look")) throw new Error("unreadable");
      return false;
    };
    const waiting = notes.until(look, 60_000);
    setTimeout(() => new Notes(folder).set("look"), 20);
    await assert.rejects(waiting, /unreadable/);
    await assert.rejects(notes.until(look, 60_000), /unreadable/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("failed starts are counted until one works", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-notes-"));
  try {
    const notes = new Notes(folder);
    assert.equal(notes.failedStarts, 0);
    notes.noteStart(false);
    notes.noteStart(false);
    assert.equal(new Notes(folder).failedStarts, 2);
    notes.noteStart(true);
    assert.equal(notes.failedStarts, 0);
    for (const odd of ["", "x", "-1", "1.5", "1.5 7", "x 7"]) {
      await writeFile(join(folder, "failed-starts"), odd);
      assert.equal(notes.failedStarts, 0, `${odd} is no count`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
