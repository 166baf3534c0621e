import assert from "node:assert/strict";
import { test } from "node:test";
import { argumentsFor, names } from "./names.ts";

test("a name of the table stands for its command, by path too", () => {
  assert.deepEqual(argumentsFor("/usr/libexec/duet-setup", ["--json"]), ["setup", "--json"]);
  assert.deepEqual(argumentsFor("duet-setup", []), ["setup"]);
});

test("every other name is duet", () => {
  for (const argv0 of ["duet", "./dist/duet", "/opt/node/bin/node", "duet-new", "constructor", ""])
    assert.deepEqual(argumentsFor(argv0, ["check", "site.yaml"]), ["check", "site.yaml"]);
});

test("names begin with duet, so that nobody else's program is shadowed", () => {
  for (const name of Object.keys(names)) assert.match(name, /^(duet-[a-z]+|fence_duet)$/);
});
