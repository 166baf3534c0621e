import assert from "node:assert/strict";
import { test } from "node:test";
import { plainTables } from "./print.ts";

/** What a person can do: a command, or something to see, bring back, repair, install or restore. */
const action = /`[^`]+`|\b(bring|see|repair|install|restore)\b/;

test("a rule that calls a person says what that person can do", () => {
  const mute = plainTables()
    .flatMap(({ rules }) => rules)
    .filter((rule) => rule.decisions.includes("needs-human") && !action.test(rule.sentence))
    .map(({ id, sentence }) => `${id}: ${sentence}`);
  assert.deepEqual([...new Set(mute)], []);
});
