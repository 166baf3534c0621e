import assert from "node:assert/strict";
import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { buildArguments, type GoPrograms, programsFolder } from "./go.ts";

test("tags and stamps are handed to go as it takes them, and left out where there are none", () => {
  assert.deepEqual(buildArguments({}, "/out/a", "./a"), [
    "build",
    "-trimpath",
    "-ldflags=-s -w",
    "-o",
    "/out/a",
    "./a",
  ]);
  assert.deepEqual(
    buildArguments({ tags: ["x", "y"], stamps: { "k/v.one": "1", "k/v.two": "2" } }, "/o", "."),
    ["build", "-trimpath", "-tags", "x,y", "-ldflags=-s -w -X k/v.one=1 -X k/v.two=2", "-o", "/o", "."],
  );
});

test("other sources, tags or stamps are other programs; tests and notes beside them are not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "duet-go-"));
  try {
    await writeFile(join(folder, "go.mod"), "module x\n");
    await writeFile(join(folder, "main.go"), "package main\n");
    const wanted: GoPrograms = { name: "x", module_folder: folder, programs: { x: "." }, title: "x" };
    const first = await programsFolder(wanted);
    await writeFile(join(folder, "x.ts"), "");
    assert.equal(await programsFolder(wanted), first);
    const seen = new Set([first]);
    seen.add(await programsFolder({ ...wanted, tags: ["a"] }));
    seen.add(await programsFolder({ ...wanted, tags: ["b"] }));
    seen.add(await programsFolder({ ...wanted, stamps: { a: "b" } }));
    seen.add(await programsFolder({ ...wanted, programs: { y: "." } }));
    await appendFile(join(folder, "main.go"), "\n");
    seen.add(await programsFolder(wanted));
    await appendFile(join(folder, "go.mod"), "\n");
    seen.add(await programsFolder(wanted));
    assert.equal(seen.size, 7);
  } finally {
    await rm(folder, { recursive: true });
  }
});
