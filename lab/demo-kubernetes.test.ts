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
  cutShort: [],
  clocks: [],
  missing: [],
};
const result: ApiResult = {
  up_ms: 60_000,
  address: "192.0.2.10",
  held: ["node2", "node1"],
  failover,
  client: { acknowledged: 321, failed: 45, gap_ms: 5_200, missing: [] },
  ready_ms: 20_000,
};

test("what a client saw is told beside what etcd's machines recorded", () => {
  const text = apiSummary(result, 120);
  assert.match(text, /^ {2}together +4\.5 s$/m);
  assert.match(text, /the API at 192\.0\.2\.10/);
  assert.match(text, /for 5\.2 s no write was answered; 321 were acknowledged, 45 got/);
  assert.match(text, /every acknowledged write is still there/);
  assert.match(text, /held by node2, and is held by node1 now/);
});

test("a write that was acknowledged and is gone is not passed over", () => {
  const text = apiSummary({ ...result, client: { ...result.client, missing: ["duet-writer-7"] } }, 120);
  assert.match(text, /1 acknowledged writes are gone: this must not happen/);
  assert.doesNotMatch(text, /still there/);
});
