import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetEndedStop } from "./ended-stop.ts";

/** A machine on which these notes lie; what is left of them, and how often Pacemaker was asked to forget. */
async function look(noted: readonly string[], { over = true, unwritten = false } = {}) {
  const notes = new Set<string>(noted);
  let forgotten = 0;
  await forgetEndedStop({
    notes: { has: (note) => notes.has(note), drop: (...each) => each.forEach((note) => notes.delete(note)) },
    isOver: async () => over,
    hindrance: async () => (unwritten || notes.has("held") ? "only a fence tells" : undefined),
    forget: async () => {
      forgotten += 1;
    },
  });
  return { notes: [...notes], forgotten };
}

test("a failed stop is forgotten once nothing holds etcd, and not before", async () => {
  assert.deepEqual(await look(["started", "stop-failed", "held"]), { notes: ["started"], forgotten: 1 });
  const runs = await look(["started", "stop-failed", "held"], { over: false });
  assert.deepEqual(runs, { notes: ["started", "stop-failed", "held"], forgotten: 0 });
  assert.deepEqual(await look(["started"]), { notes: ["started"], forgotten: 0 });
});

test("where only a fence tells the peer that etcd has ended, the fence is left to come", async () => {
  const hindered = await look(["stop-failed", "unwritten"], { unwritten: true });
  assert.deepEqual(hindered, { notes: ["stop-failed", "unwritten"], forgotten: 0 });
});
