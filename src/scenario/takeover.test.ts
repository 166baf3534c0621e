import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeNoTakeover, newestOf } from "./takeover.ts";

const one = { epoch: 1, owner: "node1" };
const two = { epoch: 2, owner: "node2" };

test("what the pair holds is the newest that one of them holds", () => {
  assert.deepEqual(newestOf({ node1: one, node2: two }), two);
  assert.deepEqual(newestOf({ node1: two, node2: one }), two);
  assert.deepEqual(newestOf({ node1: undefined, node2: one }), one);
  assert.equal(newestOf({ node1: undefined, node2: undefined }), undefined);
});

test("nobody took over where both still hold that very epoch, and both tell so", () => {
  assert.deepEqual(judgeNoTakeover(one, { node1: one, node2: { ...one } }), {
    ok: true,
    seen: "it was epoch 1 of node1, and still is",
  });
  const refused = [
    [one, { node1: two, node2: two }, /node1 holds epoch 2 of node2, node2 holds epoch 2 of node2; it was/],
    [one, { node1: one, node2: two }, /^node2 holds epoch 2 of node2; it was epoch 1 of node1$/],
    [one, { node1: { epoch: 1, owner: "node2" }, node2: one }, /^node1 holds epoch 1 of node2/],
    [one, { node1: one, node2: undefined }, /^node2 tells of none/],
    [undefined, { node1: one, node2: one }, /nobody knows/],
  ] as const;
  for (const [before, now, seen] of refused) {
    const judged = judgeNoTakeover(before, now);
    assert.equal(judged.ok, false);
    assert.match(judged.seen, seen);
  }
});
