import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { etagOf, matches } from "./etag.ts";

const body = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)));

test("two bodies have the same tag exactly when they are the same", () => {
  fc.assert(
    fc.property(body, body, (a, b) => {
      assert.equal(etagOf(a) === etagOf(b), JSON.stringify(a) === JSON.stringify(b));
      assert.match(etagOf(a), /^"[!#-~]+"$/);
    }),
  );
});

test("tags are compared weakly, in lists, and by *", () => {
  const tag = etagOf({ a: 1 });
  for (const header of [tag, `W/${tag}`, `"other", ${tag}`, `"other",W/${tag}`, "*", ` ${tag} `])
    assert.ok(matches(header, tag), header);
  for (const header of ['"other"', tag.slice(1, -1), `${tag}x`, "", `W/${tag}foobar`])
    assert.ok(!matches(header, tag), header);
});
