import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../../lab/api-clients/history.ts";
import { apiAcks } from "./reboot.ts";

test("only acknowledged writes end a gap, by the moment of their answer and in its order", () => {
  const answer = (at_ms: number, outcome: "ok" | "failed" | "open"): Entry => ({
    kind: "answer",
    name: `w${at_ms}`,
    at_ms,
    outcome,
  });
  const history: readonly Entry[] = [
    { kind: "call", name: "w20", at_ms: 5 },
    answer(20, "ok"),
    answer(10, "ok"),
    answer(30, "failed"),
    answer(40, "open"),
    { kind: "end" },
  ];
  assert.deepEqual(apiAcks(history), [10, 20]);
});
