import assert from "node:assert/strict";
import { test } from "node:test";
import { promotionScore } from "./score.ts";

test("the newer log is promoted first: by term, then by index", () => {
  const score = (mine: [number, number], theirs: [number, number]) =>
    promotionScore(true, { term: mine[0], index: mine[1] }, { term: theirs[0], index: theirs[1] });
  for (const [newer, older] of [
    [
      [3, 10],
      [3, 9],
    ],
    [
      [4, 2],
      [3, 90],
    ],
  ] as const)
    assert.ok((score([...newer], [...older]) ?? 0) > (score([...older], [...newer]) ?? 0));
  assert.equal(score([3, 7], [3, 7]), score([3, 7], [3, 7]));
});

test("who may not serve has no score, and without word of the peer nobody waits for it", () => {
  assert.equal(promotionScore(false, { term: 1, index: 1 }, undefined), undefined);
  assert.equal(promotionScore(true, undefined, { term: 1, index: 1 }), 10);
  assert.equal(promotionScore(true, { term: 1, index: 1 }, undefined), 10);
});
