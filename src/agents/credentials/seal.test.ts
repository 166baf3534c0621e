import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { Secret } from "../../base/secret.ts";
import { seal, unseal } from "./seal.ts";

const key = randomBytes(256);
const about = "shop node2 1700000000000";

test("what is sealed is opened with the same key and about the same thing, whatever it is", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (line) => {
      assert.equal(unseal(seal(new Secret(line), about, key), about, key)?.reveal(), line);
    }),
    { numRuns: 50 },
  );
});

test("another key, another BMC, another time, or a changed byte opens nothing", () => {
  const sealed = seal(new Secret("admin:secret\n"), about, key);
  assert.equal(unseal(sealed, about, randomBytes(256)), undefined);
  assert.equal(unseal(sealed, "shop node1 1700000000000", key), undefined);
  assert.equal(unseal(sealed, "shop node2 1700000000001", key), undefined);
  for (const at of [0, 20, 35, 50]) {
    const bytes = Buffer.from(sealed, "base64");
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    assert.equal(unseal(bytes.toString("base64"), about, key), undefined, String(at));
  }
  for (const junk of ["", "x", "!!!", Buffer.alloc(44).toString("base64")])
    assert.equal(unseal(junk, about, key), undefined);
});

test("the same line is never sealed to the same text", () => {
  const line = new Secret("admin:secret\n");
  assert.notEqual(seal(line, about, key), seal(line, about, key));
  assert.ok(!Buffer.from(seal(line, about, key), "base64").includes("secret"));
});
