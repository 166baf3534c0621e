import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promiseOf } from "./promises.ts";

const sim = join(import.meta.dirname, "..");

test("every check that can fail has a sentence that says what it promises", async () => {
  const names = new Set<string>();
  for (const entry of await readdir(sim, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".ts") || entry.name.endsWith(".test.ts")) continue;
    const text = await readFile(join(entry.parentPath, entry.name), "utf8");
    for (const [, name = ""] of text.matchAll(/ernel\.fail\(\s*"([^"]+)"/g)) names.add(name);
  }
  assert.ok(names.size >= 10, [...names].join(", "));
  for (const name of names) assert.ok(promiseOf(name), `no sentence for "${name}"`);
});
