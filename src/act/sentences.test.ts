import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const page = readFileSync(join(root, "docs", "errors", "DUET-E-STATUS-UNFINISHED.md"), "utf8");

/** Why steps came to nothing, as written in the sources: what is a sentence has a space in it. */
const said = /(?:stopped\(|failed\("\w+",|return|=>)\s*(?:"([^"\n]* [^"\n]*)"|`([^`]* [^`]*)`)/g;

/** Without what is filled in. */
const fixedParts = (sentence: string): readonly string[] =>
  sentence.split(/\$\{[^}]*\}/).filter((part) => part.trim() !== "");

test("each sentence in which steps say why they came to nothing is on the page of what is unfinished", () => {
  const missing: string[] = [];
  let count = 0;
  for (const name of readdirSync(import.meta.dirname)) {
    if (!name.endsWith(".ts") || name.includes("test")) continue;
    const text = readFileSync(join(import.meta.dirname, name), "utf8");
    for (const [, plain, filled] of text.matchAll(said))
      for (const part of fixedParts(plain ?? filled ?? "")) {
        count += 1;
        if (!page.includes(part.trim())) missing.push(`${name}: ${part}`);
      }
  }
  assert.deepEqual(missing, []);
  assert.ok(count > 20, `${count} sentences`);
});
