import assert from "node:assert/strict";
import { test } from "node:test";
import { namedBy } from "./scenario-files.ts";

const files = ["cold-boot", "kube-cold-boot", "stale-first", "stale-first-dead-bmc"].map((name) => ({
  name,
}));
const named = (...patterns: readonly string[]) => namedBy(patterns, files).map(({ name }) => name);

test("a whole name means that story alone, a part of a name all that have it, nothing all of them", () => {
  assert.deepEqual(named("cold-boot"), ["cold-boot"]);
  assert.deepEqual(named("stale"), ["stale-first", "stale-first-dead-bmc"]);
  assert.deepEqual(named("kube-", "stale-first"), ["kube-cold-boot", "stale-first"]);
  assert.deepEqual(named("never"), []);
  assert.equal(named().length, files.length);
});
