import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf } from "./answer.ts";
import type { Answer } from "./readiness.ts";

const all: readonly Answer[] = ["ready", "gone", "silent", "unready", "etcd"];
const says = (status: number, body = "") => ({ lives: true, said: { status, body } }) as const;

test("what the API server says counts, whatever was before", () => {
  for (const before of all) {
    assert.equal(answerOf(says(200, "ok"), true, before), "ready");
    assert.equal(answerOf(says(500, "[+]ping ok\n[-]etcd failed: reason withheld\n"), true, before), "etcd");
    assert.equal(
      answerOf(
        says(500, "[-]etcd failed: x\n[-]etcd-readiness failed: x\nreadyz check failed\n"),
        true,
        before,
      ),
      "etcd",
    );
    assert.equal(
      answerOf(says(500, "[-]etcd failed: x\n[-]shutdown failed: process is shutting down\n"), true, before),
      "unready",
    );
    assert.equal(answerOf(says(500, "[-]poststarthook/etcd failed: x\n"), true, before), "unready");
    assert.equal(answerOf(says(403, '{"reason":"Forbidden"}'), true, before), "unready");
    assert.equal(answerOf(says(500), true, before), "unready");
    assert.equal(answerOf({ lives: false, why: "gone" }, true, before), "gone");
    assert.equal(answerOf({ lives: false, why: "silent" }, false, before), "silent");
    assert.equal(answerOf({ lives: true, said: undefined }, true, before), "etcd");
  }
});

test("one that was only asked whether it lives is as it was, and one that is back has yet to say so", () => {
  const lives = { lives: true, said: undefined } as const;
  assert.deepEqual(
    all.map((before) => answerOf(lives, false, before)),
    ["ready", "unready", "unready", "unready", "etcd"],
  );
});
