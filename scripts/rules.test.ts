import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { rules_path, rulesText } from "./rules.ts";

test("docs/rules.md is what the tables say", async () => {
  assert.equal(
    await readFile(rules_path, "utf8"),
    rulesText(),
    "run `sh scripts/with-node scripts/rules.ts`",
  );
});
