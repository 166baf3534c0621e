import assert from "node:assert/strict";
import { test } from "node:test";
import { demands } from "./demands.ts";
import type { Found } from "./status.ts";

type At = Found["machines"][number];
const voter = (name: string, linearizable = 7): At => ({
  name,
  revision: 9,
  changes: 8,
  missing: 0,
  linearizable,
  digest: "d",
});
const silent = (name: string, linearizable = 0): At => ({
  ...voter(name, linearizable),
  silent: "no answer",
});
const flight = { wanted: 128, owed_us: 1_000_000, held_us: 1_000_000, fewest: 131 };
const never = { wanted: 128, owed_us: 0, held_us: 0, fewest: -1 };
const both = { machines: [voter("node1"), voter("node2")] };

test("clients owe 128 writes in flight while etcd serves, but for moments", () => {
  const said = (served_s: number, missing_s: number) => {
    const owed_us = served_s * 1e6;
    return demands(both, {
      flight: { wanted: 128, owed_us, held_us: owed_us - missing_s * 1e6, fewest: 40 },
    });
  };
  for (const [served_s, missing_s] of [
    [60, 0],
    [60, 0.6],
    [5, 0.25],
    [0.4, 0.1],
  ] as const)
    assert.deepEqual(said(served_s, missing_s), [], `${missing_s} of ${served_s} s`);
  for (const [served_s, missing_s] of [
    [60, 0.7],
    [5, 0.26],
    [0.4, 0.11],
  ] as const)
    assert.match(said(served_s, missing_s).join(), /^128 writes .* only \d+\.\d % .* once 40$/);
  assert.match(demands(both, { flight: never }).join(), /never in flight/);
});

test("paced clients owe no number", () => {
  assert.deepEqual(demands(both, {}), []);
});

test("whoever has a vote must have answered linearizable reads; who has none, or is gone, owes nothing", () => {
  const said = (...machines: At[]) => demands({ machines }, { flight });
  assert.deepEqual(said(voter("node1"), silent("node2")), []);
  assert.deepEqual(said(voter("node1"), silent("node2", 30)), []);
  assert.match(said(voter("node1"), voter("node2", 0)).join(), /^node2 has a vote, and no client has read/);
  assert.equal(said(voter("node1", 0), voter("node2", 0)).length, 2);
});
