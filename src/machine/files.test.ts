import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, beforeEach, test } from "node:test";
import { makeFolder, readSmall, replaceSynced } from "./files.ts";
import { run } from "./process.ts";

const base = await mkdtemp(join(tmpdir(), "duet-files-"));
let folder = base;
let rounds = 0;
beforeEach(async () => {
  folder = join(base, String(++rounds));
  await mkdir(folder);
});
after(() => rm(base, { recursive: true }));

const kindOf = async (path: string, bytes_max = 100) => {
  const read = await readSmall(path, bytes_max);
  return read.ok ? read.text : read.kind;
};

test("a small file is read whole, up to the last byte that is allowed", async () => {
  const path = join(folder, "a");
  await writeFile(path, "0123456789");
  await chmod(path, 0o640);
  assert.deepEqual(await readSmall(path, 10), { ok: true, text: "0123456789", mode: 0o640 });
  assert.equal(await kindOf(path, 9), "too-long");
});

test("what is no regular file neither hangs nor fills the memory", { timeout: 20_000 }, async () => {
  await run(["mkfifo", join(folder, "fifo")]);
  assert.equal(await kindOf(join(folder, "fifo")), "no-file");
  assert.equal(await kindOf("/dev/zero"), "no-file");
  assert.equal(await kindOf(folder), "no-file");
  assert.equal(await kindOf(join(folder, "none")), "missing");
  // Regular, with a size of 0, and full of text.
  assert.match(await kindOf("/proc/version", 4096), /version/);
});

test("writers at once each leave a whole file, and nothing else", async () => {
  const path = join(folder, "state");
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(1000));
  await Promise.all(texts.map((text) => replaceSynced(path, text, 0o600)));
  assert.ok(texts.includes(await readFile(path, "utf8")));
  assert.deepEqual(await readdir(folder), ["state"]);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test("a replacement that fails leaves nothing beside its target", async () => {
  await mkdir(join(folder, "target"));
  await assert.rejects(replaceSynced(join(folder, "target"), "x"), { code: "EISDIR" });
  await assert.rejects(replaceSynced(join(folder, "none", "x"), "x"), { code: "ENOENT" });
  assert.deepEqual(await readdir(folder), ["target"]);
});

test("folders are made with those above them, and where they can't be that is an error, not a hang", {
  timeout: 20_000,
}, async () => {
  const deep = join(folder, "a", "b", "c");
  await makeFolder(deep, 0o700);
  await makeFolder(deep);
  assert.equal((await stat(deep)).mode & 0o777, 0o700);
  await writeFile(join(folder, "file"), "");
  await assert.rejects(makeFolder(join(folder, "file")), { code: "EEXIST" });
  await assert.rejects(makeFolder(join(folder, "file", "x")), { code: "ENOTDIR" });
  await assert.rejects(makeFolder("/proc/duet-none"), { code: "ENOENT" });
  await assert.rejects(makeFolder("/proc/duet-none/x"), { code: "ENOENT" });
});
