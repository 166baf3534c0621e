import assert from "node:assert/strict";
import { test } from "node:test";
import { readyStateful } from "./stateful.ts";

const pod = (ready: string, more: object = {}) =>
  JSON.stringify({
    metadata: { uid: "7f", ...more },
    spec: { nodeName: "node2" },
    status: { conditions: [{ type: "Ready", status: ready }] },
  });

test("a StatefulSet's pod counts where it is ready, and nobody has asked it to go", () => {
  assert.deepEqual(readyStateful(pod("True")), { uid: "7f", machine: "node2" });
  assert.equal(readyStateful(pod("False")), undefined);
  assert.equal(readyStateful(pod("True", { deletionTimestamp: "2026-11-19T00:00:00Z" })), undefined);
  assert.equal(readyStateful(JSON.stringify({ metadata: { uid: "7f" }, spec: {}, status: {} })), undefined);
});
