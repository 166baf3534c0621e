import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { docs_path, docsText } from "./scenario-docs.ts";

test("docs/scenarios.md is what the language's table and the files say", async () => {
  assert.equal(await readFile(docs_path, "utf8"), await docsText(), "run: node scripts/scenario-docs.ts");
});
