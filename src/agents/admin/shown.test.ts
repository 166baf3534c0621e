import assert from "node:assert/strict";
import { test } from "node:test";
import { Office } from "./testing.ts";
import { type LogEnds, shownOf, shownRows } from "./shown.ts";

async function rowsOf(ends: LogEnds, heard: boolean) {
  const office = new Office();
  office.world.boot = { ...office.world.boot, heard };
  const facts = await office.effects.facts();
  const shown = shownOf(facts, { written_ms: 0, together_ms: undefined }, ends, "nothing");
  return { shown, rows: new Map(shownRows(shown, 0)) };
}

test("where each log ends is shown of both machines, and is in the data", async () => {
  const mine = { term: 7, index: 1_204 };
  const theirs = { term: 9, index: 1_300 };
  const { shown, rows } = await rowsOf({ mine, theirs }, true);
  assert.equal(rows.get("log of a"), "ends at term 7, index 1204");
  assert.equal(rows.get("log of b"), "ends at term 9, index 1300");
  assert.deepEqual(shown.logEnd, { a: mine, b: theirs });
});

test("an end that nobody knows is said not to be known, and why", async () => {
  const none = { mine: undefined, theirs: undefined };
  const heard = await rowsOf(none, true);
  assert.equal(heard.rows.get("log of a"), "none, or it can't be read");
  assert.equal(
    heard.rows.get("log of b"),
    "where it ends was not told: its etcd ran when it was last heard, or it has none",
  );
  assert.deepEqual(heard.shown.logEnd, { a: null, b: null });
  const { rows } = await rowsOf(none, false);
  assert.equal(rows.get("log of b"), "not heard since a booted");
});
