import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, utimes } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cacheFolder, dropUnfinished, pruneBuilds, pruneKind } from "./cache.ts";

test("DUET_CACHE, then XDG_CACHE_HOME, then the home folder", () => {
  assert.equal(cacheFolder({ DUET_CACHE: "/a", XDG_CACHE_HOME: "/b" }), "/a");
  assert.equal(cacheFolder({ DUET_CACHE: "", XDG_CACHE_HOME: "/b" }), "/b/duet");
  assert.equal(cacheFolder({ XDG_CACHE_HOME: "relative" }), join(homedir(), ".cache/duet"));
  assert.equal(cacheFolder({}), join(homedir(), ".cache/duet"));
});

test("keeps the builds used last, drops cut-off ones, touches nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-cache-"));
  try {
    const hour_s = 3600;
    const now_s = Date.now() / 1000;
    const ages_h = {
      "build-1": 5,
      "build-2": 1,
      "build-3": 9,
      "build-4": 2,
      "build-5.7.tmp": 3,
      "build-6.8.tmp": 0,
      image: 99,
    };
    for (const [name, age_h] of Object.entries(ages_h)) {
      await mkdir(join(folder, name));
      const time_s = now_s - age_h * hour_s;
      await utimes(join(folder, name), time_s, time_s);
    }
    const dropped = await pruneBuilds(folder, 2);
    assert.deepEqual(
      dropped.toSorted(),
      ["build-1", "build-3", "build-5.7.tmp"].map((name) => join(folder, name)),
    );
    assert.deepEqual((await readdir(folder)).toSorted(), ["build-2", "build-4", "build-6.8.tmp", "image"]);
    await mkdir(join(folder, "crio-1"));
    assert.deepEqual(await pruneKind(folder, "crio"), []);
    assert.deepEqual(await pruneKind(folder, "crio", 0), [join(folder, "crio-1")]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("only this process' own unfinished work is dropped", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-cache-"));
  try {
    for (const name of [`crio-1.${process.pid}.tmp/deep`, "crio-1.1.tmp", "crio-2"])
      await mkdir(join(folder, name), { recursive: true });
    assert.deepEqual(dropUnfinished(folder), []);
    assert.deepEqual((await readdir(folder)).toSorted(), ["crio-1.1.tmp", "crio-2"]);
    assert.deepEqual(dropUnfinished(join(folder, "not-made-yet")), []);
  } finally {
    await rm(folder, { recursive: true });
  }
});
