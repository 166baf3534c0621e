import assert from "node:assert/strict";
import { test } from "node:test";
import { endedWithin, staleWithin } from "./scenario-clients.ts";

test("a bound on writes is not kept where nobody wrote", () => {
  const of = (acknowledged: number, failed: number, longest_us: number) =>
    endedWithin({ acknowledged, failed, longest_us }, 1_000).ok;
  assert.deepEqual(endedWithin(undefined, 1_000), { ok: false, seen: "no client has written" });
  assert.equal(of(0, 0, 0), false);
  assert.equal(of(1, 0, 999_000), true);
  assert.equal(of(0, 1, 999_000), true);
  assert.equal(of(5, 0, 1_001_000), false);
});

test("a machine's serializable reads: the longest time between two answers, and up to now while it is asked", () => {
  const read = {
    errors: 0,
    longest_error_us: 0,
    linearizable: 0,
    serializable: 9,
    acknowledged: 0,
    last_serializable_us: 20_000_000,
    serializable_gap_us: 3_000_000,
    last_linearizable_us: 0,
    last_acknowledged_us: 0,
  };
  const at = (now_us: number, ended = false, endpoint = read) =>
    staleWithin({ now_us, ended, endpoints: { node1: endpoint } }, "node1", 4_000);
  assert.deepEqual(at(20_100_000), { ok: true, seen: "the longest gap of node1 was 3.00 s" });
  assert.deepEqual(at(25_000_000), { ok: false, seen: "the longest gap of node1 was 5.00 s" });
  assert.equal(at(25_000_000, true).ok, true, "nobody asks any more");
  assert.equal(at(20_100_000, false, { ...read, serializable_gap_us: 4_000_001 }).ok, false);
  assert.equal(at(0, false, { ...read, serializable: 0 }).ok, false, "it never answered");
  assert.equal(staleWithin(undefined, "node1", 4_000).ok, false);
});
