import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failover } from "../src/record/timeline.ts";
import { type ApiResult, apiSummary } from "./demo-kubernetes.ts";

const phase = (name: Failover["phases"][number]["name"], at_ms: number) => ({
  name,
  at_ms,
  machine: "node1",
  rule: undefined,
  note: undefined,
});
const failover: Failover = {
  survivor: "node1",
  gone: "node2",
  epoch: 2,
  at: "2026-01-01T00:00:00.000Z",
  phases: [
    phase("lost", -2_000),
    phase("detected", 0),
    phase("fence asked", 300),
    phase("Off confirmed", 1_000),
    phase("takeover", 1_100),
    phase("first write served", 2_500),
    phase("1+1", 12_000),
  ],
  turns: [],
  turns_more: 0,
  words: [],
  words_more: 0,
  cutShort: [],
  clocks: [],
  missing: [],
};
const result: ApiResult = {
  up_ms: 60_000,
  address: "192.0.2.10",
  held: ["node2", "node1"],
  failover,
  clients: { acknowledged: 321, failed: 45, gap_ms: 5_200, problems: [] },
  ready_ms: 20_000,
};

test("what clients saw is told beside what etcd's machines recorded", () => {
  const text = apiSummary(result, 120);
  assert.match(text, /^ {2}together +4\.5 s$/m);
  assert.match(text, /the API at 192\.0\.2\.10/);
  assert.match(text, /for 5\.2 s no write was answered; 321 were acknowledged, 45 got/);
  assert.match(text, /every acknowledged write is still there/);
  assert.match(text, /held by node2, and is held by node1 now/);
});

test("a write that was acknowledged and is gone is not passed over", () => {
  const problems = ["w1-7 was acknowledged, and is missing"];
  const clients = { ...result.clients, problems, history: "/tmp/duet-history-x" };
  const text = apiSummary({ ...result, clients }, 120);
  assert.match(
    text,
    /this must not happen, please report it with the history in \/tmp\/duet-history-x:\n {4}w1-7 was/,
  );
  assert.doesNotMatch(text, /still there/);
});
