import assert from "node:assert/strict";
import { test } from "node:test";
import { readyOn } from "./endpoints.ts";

const machines = [
  { name: "node1", addresses: ["192.0.2.11", "198.51.100.11"] },
  { name: "node2", addresses: ["192.0.2.12", "198.51.100.12"] },
];
const on = (...slices: readonly object[]) => readyOn(JSON.stringify({ items: slices }), machines);

test("ready endpoints by their machine, over all slices; those that end do not count", () => {
  const first = {
    endpoints: [
      { addresses: ["198.18.0.5"], nodeName: "node1", conditions: { ready: true } },
      {
        addresses: ["198.18.1.5"],
        nodeName: "node2",
        conditions: { ready: false, serving: true, terminating: true },
      },
    ],
  };
  const second = { endpoints: [{ addresses: ["198.18.1.6"], nodeName: "node2", conditions: {} }] };
  assert.deepEqual(on(first, second, { endpoints: null }), ["node1", "node2"]);
  assert.deepEqual(on(), []);
});

test("an API server's endpoint has no machine's name: its address tells, and one of nobody's stays an address", () => {
  const endpoints = ["192.0.2.11", "192.0.2.12", "192.0.2.99"].map((address) => ({
    addresses: [address],
    conditions: { ready: true },
  }));
  assert.deepEqual(on({ endpoints }), ["node1", "node2", "192.0.2.99"]);
});
