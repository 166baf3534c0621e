import assert from "node:assert/strict";
import { test } from "node:test";
import { DuetError } from "../src/base/problem.ts";
import { namesIn } from "./bench/failover.ts";
import { isAsked, refuseNothing } from "./bench-only.ts";

test("only what has the words in its name is asked for, and all of it without any", () => {
  const names = namesIn({ quick: false });
  const asked = (only: string) => names.filter((name) => isAsked({ only }, name));
  assert.deepEqual(
    names.filter((name) => isAsked({}, name)),
    names,
  );
  assert.equal(asked("fast BMC").length, 7);
  assert.deepEqual(asked("planned stop"), ["planned stop of the leader", "planned stop of the follower"]);
  assert.ok(namesIn({ quick: true }).every((name) => names.includes(name)));
});

test("words that are in no name are refused with all that there is", () => {
  refuseNothing({}, ["a"]);
  refuseNothing({ only: "a" }, ["an a", "b"]);
  assert.throws(
    () => refuseNothing({ only: "c" }, ["a", "b"]),
    (error) => error instanceof DuetError && /there is a; b/.test(error.message) && error.status === 2,
  );
});
