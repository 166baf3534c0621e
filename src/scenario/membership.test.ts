import assert from "node:assert/strict";
import { test } from "node:test";
import { isPair, judgeSameMembers } from "./membership.ts";

const pair = { node1: "a1", node2: "b2" };

test("the same members are those with the same ids, on both machines", () => {
  assert.deepEqual(judgeSameMembers(pair, { ...pair }), { ok: true, seen: "a1 and b2" });
  const refused = [
    [pair, { node1: "a1", node2: "c3" }, /^node2 is c3 and was b2$/],
    [pair, { node1: "b2", node2: "a1" }, /^node1 is b2 and was a1, node2 is a1 and was b2$/],
    [pair, { node1: "a1", node2: undefined }, /^node2 is no member/],
    [undefined, pair, /nobody knows/],
    [{ node1: "a1", node2: undefined }, pair, /nobody knows/],
  ] as const;
  for (const [before, now, seen] of refused) {
    const judged = judgeSameMembers(before, now);
    assert.equal(judged.ok, false);
    assert.match(judged.seen, seen);
  }
  assert.ok(isPair(pair) && !isPair({ node1: "a1", node2: undefined }));
});
