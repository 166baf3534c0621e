import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { exists, replaceSynced } from "./files.ts";
import { run } from "./process.ts";
import { keepReserve, reserveFor, withReserve } from "./reserve.ts";

const isRoot = process.getuid?.() === 0;

/** A file system of four megabytes of its own. */
async function smallDisk() {
  const folder = await mkdtemp(join(tmpdir(), "duet-reserve-"));
  const path = join(folder, "disk");
  await mkdir(path);
  await run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", path]);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      await run(["umount", path]);
      await rm(folder, { recursive: true });
    },
  };
}

test("on a full disk a file is written in room that was kept for it", {
  skip: !isRoot && "mounts need root",
}, async () => {
  await using disk = await smallDisk();
  const file = join(disk.path, "state");
  const write = (text: string) => withReserve(file, () => replaceSynced(file, text));
  await write("before");
  await keepReserve(file);
  await run(["dd", "if=/dev/zero", `of=${join(disk.path, "all")}`, "bs=4096"], { accept: "any" });
  await assert.rejects(writeFile(join(disk.path, "more"), "x"), { code: "ENOSPC" });
  await write("after");
  assert.equal(await readFile(file, "utf8"), "after");
  assert.equal(await exists(reserveFor(file)), false, "it is spent");

  await rm(join(disk.path, "all"));
  await keepReserve(file);
  assert.equal(await exists(reserveFor(file)), true);
});

test("without a reserve, and for every other trouble, the failure is told as it is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-reserve-"));
  const file = join(folder, "state");
  const failing = (code: string) => async () => {
    throw Object.assign(new Error(code), { code });
  };
  await assert.rejects(withReserve(file, failing("ENOSPC")), { code: "ENOSPC" });
  await keepReserve(file);
  await assert.rejects(withReserve(file, failing("EROFS")), { code: "EROFS" });
  assert.equal(await exists(reserveFor(file)), true);
  await rm(folder, { recursive: true });
});
