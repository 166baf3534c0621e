import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { asciiJson, editDistance, nearest, oneOf, shellWord } from "./text.ts";

test("a letter dropped, added, replaced or swapped is one change", () => {
  for (const word of ["adresses", "addressess", "addreszes", "addersses"])
    assert.equal(editDistance(word, "addresses"), 1, word);
});

test("the distance is zero only for equal words, the same both ways, and never above the longer one", () => {
  const word = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b);
      assert.equal(distance === 0, a === b);
      assert.equal(distance, editDistance(b, a));
      assert.ok(distance <= Math.max(a.length, b.length));
    }),
  );
});

test("the nearest word is found through case and hyphens; a far-off one is not offered", () => {
  const known = ["name", "topology", "ssh_key", "machines", "timeouts"];
  assert.equal(nearest("topolgy", known), "topology");
  assert.equal(nearest("ssh-key", known), "ssh_key");
  assert.equal(nearest("SSHKey", known), "ssh_key");
  assert.equal(nearest("Machine", known), "machines");
  assert.equal(nearest("hunter2", known), undefined);
  assert.equal(nearest("x".repeat(5000), known), undefined);
});

test("a choice reads as a sentence", () => {
  assert.equal(oneOf(["a"]), "a");
  assert.equal(oneOf(["a", "b", "c"]), "a, b or c");
});

test("a word for a shell is quoted only where it must be", () => {
  assert.equal(shellWord("/etc/duet/node1.bmc"), "/etc/duet/node1.bmc");
  assert.equal(shellWord("a b"), "'a b'");
  assert.equal(shellWord("it's $HOME"), "'it'\\''s $HOME'");
  assert.equal(shellWord(""), "''");
});

test("JSON in plain ASCII reads back as the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const plain = asciiJson(JSON.stringify(text));
      assert.match(plain, /^[ -~]*$/);
      assert.equal(JSON.parse(plain), text);
    }),
  );
});
