import assert from "node:assert/strict";
import { test } from "node:test";
import type { Entry } from "../../../lab/api-clients/history.ts";
import type { ApiStatus } from "../../../lab/api-clients/status.ts";
import { apiAcks, gapAfter, longest_ms } from "./gaps.ts";

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

test("of an outage the longest gap counts that touches it, and no write at all is told", () => {
  assert.equal(longest_ms([0, 5_000, 5_100, 7_000, 7_100], 5_050, 7_100), 1_900);
  assert.equal(longest_ms([5_050, 5_100], 5_050, 7_100), 2_000, "it has no end yet");
  assert.throws(() => longest_ms([], 0, 10), /no write was acknowledged/);
});

test("the API is back when its gap came after the loss, is no hiccup of the box's, and writes have gone on for a while", () => {
  const status: ApiStatus = {
    now_ms: 20_000,
    acknowledged: 1,
    failed: 0,
    open: 0,
    in_flight: 0,
    last_ms: 19_900,
    gap_ms: 6_000,
    gap_end_ms: 16_000,
    longest_ms: 0,
    resumed: 0,
  };
  assert.deepEqual(gapAfter(status, 9_900), { begin_ms: 10_000, end_ms: 16_000 });
  assert.equal(gapAfter(status, 16_500), undefined);
  assert.equal(gapAfter({ ...status, last_ms: 18_000 }, 9_900), undefined);
  assert.equal(gapAfter({ ...status, gap_ms: 900 }, 9_900), undefined);
});
