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
const both = { machines: [voter("node1"), voter("node2")] };

test("clients owe 128 writes in flight while etcd serves, but for moments", () => {
  const said = (change: Partial<typeof flight>) => demands(both, { flight: { ...flight, ...change } });
  assert.deepEqual(said({}), []);
  assert.deepEqual(said({ held_us: 990_000, fewest: 40 }), []);
  assert.match(said({ held_us: 989_000, fewest: 40 }).join(), /^128 writes .* only 98\.9 % .* once 40$/);
  assert.match(said({ held_us: 0, owed_us: 0, fewest: -1 }).join(), /never in flight/);
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
