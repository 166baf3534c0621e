import assert from "node:assert/strict";
import { test } from "node:test";
import { areReplaced, type Pod } from "./deployment.ts";
import { marked } from "./taints.ts";

const pod = (uid: string, machine: string): Pod => ({ name: `story-${uid}`, uid, machine, ready_ms: 0 });
const before = [pod("a", "node1"), pod("b", "node1"), pod("c", "node2"), pod("d", "node2")];

test("pods are replaced where none of the machine's is left, by its uid", () => {
  const after = [...before.slice(0, 2), pod("e", "node1"), pod("f", "node2")];
  assert.equal(areReplaced(before, "node2", after), true);
  assert.equal(areReplaced(before, "node1", after), false);
  // Started again in its place: the same pod.
  assert.equal(areReplaced(before, "node2", before), false);
});

test("a machine that had no pod has none replaced", () => {
  assert.equal(areReplaced(before.slice(0, 2), "node2", before), false);
});

test("who is marked out of service, among other taints and with any value", () => {
  const node = (name: string, ...keys: readonly string[]) => ({
    metadata: { name },
    spec: keys.length === 0 ? {} : { taints: keys.map((key) => ({ key, effect: "NoExecute" })) },
  });
  const nodes = [
    node("node1"),
    node("node2", "node.kubernetes.io/unreachable", "node.kubernetes.io/out-of-service"),
  ];
  assert.deepEqual(marked(JSON.stringify({ items: nodes })), ["node2"]);
  const unreachable = [node("node1", "node.kubernetes.io/unreachable")];
  assert.deepEqual(marked(JSON.stringify({ items: unreachable })), []);
});
