import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkout, isShell, packageJson, shellFiles, sources, treeFiles } from "./tree.ts";

const read = async (path: string): Promise<string> => await readFile(join(checkout, path), "utf8");

test("every dependency has an exact version and a line in docs/dependencies.md", async () => {
  const { dependencies, devDependencies } = await packageJson();
  const reasons = await read("docs/dependencies.md");
  for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(version, /^\d+\.\d+\.\d+(-[0-9a-z.]+)?$/, `${name}: ${version} is not one exact version`);
    const line = reasons.split("\n").find((each) => each.startsWith(`| \`${name}\` `));
    assert.ok(line?.includes(version), `docs/dependencies.md has no line for ${name} ${version}`);
  }
});

test("docs/dependencies.md names nothing that is gone", async () => {
  const { dependencies, devDependencies } = await packageJson();
  for (const [, name = ""] of (await read("docs/dependencies.md")).matchAll(/^\| `([^`]+)` /gm))
    assert.ok(name in dependencies || name in devDependencies, `${name} is in no package.json section`);
});

test("every file that an npm script runs is there", async () => {
  const files = new Set(await treeFiles());
  for (const [name, line] of Object.entries((await packageJson()).scripts))
    for (const [path] of line.matchAll(/\b(scripts|src)\/[\w./-]+/g))
      assert.ok(files.has(path), `npm run ${name} wants ${path}`);
});

test("no file is over 400 lines", async () => {
  for (const { path, text } of await sources("src", "lab", "sim", "scripts")) {
    const lines = text.split("\n").length - 1;
    assert.ok(lines <= 400, `${path} has ${lines} lines: it holds more than one idea`);
  }
});

// The dot is apart so that this file does not find itself.
const parked =
  /\b(test|it|suite|describe|t)[.](skip|only|todo)\(|\b(test|it|suite|describe)\(.*\{\s*(skip|only|todo)\b/;

test("no test is skipped, alone or for later", async () => {
  for (const { path, text } of await sources("src", "lab", "sim", "scripts")) {
    if (!path.endsWith(".test.ts")) continue;
    for (const [index, line] of text.split("\n").entries())
      if (path !== "scripts/house.test.ts")
        assert.doesNotMatch(
          line,
          parked,
          `${path}:${index + 1}: a parked test proves nothing; mend or delete it`,
        );
  }
});

test("a parked test would be found", () => {
  for (const line of ['test.skip("x", () => {', 'test("x", { todo: true }, () => {', "  t.skip(why);"])
    assert.match(line, parked);
  assert.doesNotMatch('test("x", { timeout: 1000 }, () => {', parked);
});

test("shell files are known by their first line", async () => {
  const found = await shellFiles();
  for (const path of ["duet", "scripts/with-node", ".ci/run"]) assert.ok(found.includes(path), path);
  assert.ok(isShell("x", "#!/usr/bin/env bash"));
  assert.ok(isShell("x.sh", ""));
  assert.ok(!isShell("x", "#!/usr/bin/python3"));
  assert.ok(!isShell("x", "#!/bin/shish"));
});
