import assert from "node:assert/strict";
import { test } from "node:test";
import { Figures, readApiStatus } from "./status.ts";

test("the longest gap is that between two acknowledged writes, whatever failed meanwhile", () => {
  const figures = new Figures();
  const write = (name: string, from_ms: number, to_ms: number, outcome: "ok" | "failed" | "open") => {
    figures.note({ kind: "call", name, at_ms: from_ms });
    figures.note({ kind: "answer", name, at_ms: to_ms, outcome });
  };
  write("a", 1_000, 1_010, "ok");
  write("b", 1_100, 1_120, "ok");
  write("c", 1_200, 6_200, "open");
  write("d", 1_300, 1_310, "failed");
  write("e", 7_000, 7_120, "ok");
  write("f", 7_200, 7_220, "ok");
  figures.note({ kind: "call", name: "g", at_ms: 7_300 });
  figures.note({ kind: "resumed", watcher: 1, version: 1, said: "" });
  const status = figures.status(8_000);
  assert.deepEqual(status, {
    now_ms: 8_000,
    acknowledged: 4,
    failed: 1,
    open: 1,
    in_flight: 1,
    last_ms: 7_220,
    gap_ms: 6_000,
    gap_end_ms: 7_120,
    longest_ms: 5_000,
    resumed: 1,
  });
  assert.deepEqual(readApiStatus(JSON.stringify(status)), status);
});
