import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { fakeApi } from "../kubernetes/testing.ts";
import { nodesOf } from "./nodes.ts";
import { outOfService } from "./taint.ts";

const fake = await fakeApi();
after(() => fake[Symbol.asyncDispose]());
const api = fake.as("duet:machine:node1");
const { node, change } = nodesOf(() => Promise.resolve(api));
const path = "/api/v1/nodes/node2";
const unreachable = {
  key: "node.kubernetes.io/unreachable",
  effect: "NoExecute",
  timeAdded: "2026-11-16T12:00:00Z",
};
beforeEach(() => {
  fake.objects.clear();
  fake.asked.length = 0;
});

test("a machine's taints are read with the version that they have, and what is unknown in one is kept", async () => {
  fake.objects.set(path, {
    metadata: { name: "node2", resourceVersion: "41" },
    spec: { taints: [unreachable] },
  });
  assert.deepEqual(await node("node2"), {
    ok: true,
    value: { taints: [unreachable], resourceVersion: "41" },
  });
  fake.objects.set(path, { metadata: { resourceVersion: "42" }, spec: {} });
  assert.deepEqual(await node("node2"), { ok: true, value: { taints: [], resourceVersion: "42" } });
});

test("a change names the version that it was made from, and the whole list", async () => {
  fake.objects.set(path, { metadata: { resourceVersion: "41" }, spec: { taints: [unreachable] } });
  const changed = await change("node2", "41", [unreachable, outOfService]);
  assert.ok(changed.ok);
  assert.deepEqual(fake.objects.get(path), {
    metadata: { resourceVersion: "41" },
    spec: { taints: [unreachable, outOfService] },
  });
  assert.deepEqual(fake.asked, [`duet:machine:node1 PATCH ${path}`]);
});

test("a machine that Kubernetes does not know is none; an API that fails, or that nobody may call yet, is a failure", async () => {
  assert.deepEqual(await node("node2"), { ok: true, value: undefined });
  fake.refusals = 1;
  const refused = await node("node2");
  assert.ok(!refused.ok && refused.failure.status === 503);
  const early = nodesOf(() => Promise.resolve(undefined));
  assert.ok(!(await early.node("node2")).ok && !(await early.change("node2", "1", [])).ok);
  fake.objects.set(path, { metadata: {} });
  const odd = await node("node2");
  assert.ok(!odd.ok && odd.failure.kind === "answer");
});
