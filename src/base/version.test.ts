import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions, minorOf, newest } from "./version.ts";

test("versions are compared as numbers, and what is none is not compared", () => {
  const sign = (one: string, other: string) => Math.sign(compareVersions(one, other) ?? Number.NaN);
  assert.equal(sign("3.5.9", "3.5.16"), -1);
  assert.equal(sign("3.10.0", "3.9.9"), 1);
  assert.equal(sign("3.6", "3.6.0"), 0);
  assert.equal(sign("4.0.0", "3.99.0"), 1);
  assert.equal(sign("3.6.0-rc.4", "3.6.0"), 0);
  for (const none of ["", "3", "v3.6.0", "not_decided", "3.6.x", "podman version 5.4.2"])
    assert.equal(compareVersions(none, "3.6.0"), undefined, none);
});

test("data goes by the first two numbers", () => {
  assert.equal(minorOf("3.6.16"), "3.6");
  assert.equal(minorOf("3.6"), "3.6");
  assert.equal(minorOf("3.7.0-alpha.0+git"), "3.7");
  assert.equal(minorOf("unknown"), undefined);
});

test("the newest of several, of which some may be none", () => {
  assert.equal(newest(["3.5.0", "3.10.0", "", "3.6.0"]), "3.10.0");
  assert.equal(newest(["", "?"]), undefined);
});
