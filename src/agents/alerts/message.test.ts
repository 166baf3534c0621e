import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { kinds } from "./event.ts";
import { codeOf, messageOf, withLeftOut } from "./message.ts";

const guide = await readFile(join(import.meta.dirname, "..", "..", "..", "docs", "alerts.md"), "utf8");
const stamp = { site: "shop-0042", machine: "node1", id: "node1-5d0f7c1e9a3b2846" };
const at_ms = Date.UTC(2026, 10, 15, 3, 12, 7, 250);

test("the guide's sample is what the code makes", () => {
  const made = messageOf({ kind: "machine-lost", at_ms, about: "node2" }, stamp);
  const [, sample = ""] = /<!-- sample -->\n```json\n([^]*?)```/.exec(guide) ?? [];
  assert.equal(sample, `${JSON.stringify(made, null, 2)}\n`);
});

test("the guide has a section for each kind, with its code and severity, and every field of the body", () => {
  for (const kind of kinds) {
    const section = guide.split(`\n### ${kind}\n`)[1]?.split("\n#")[0] ?? "";
    assert.notEqual(section, "", kind);
    if (kind !== "human-needed") assert.ok(section.includes(`\`${codeOf(kind)}\``), kind);
    const { severity, page } = messageOf({ kind, at_ms }, stamp);
    assert.ok(section.includes(severity), `${kind}: ${severity}`);
    assert.equal(page, `docs/alerts.md#${kind}`);
  }
  for (const field of Object.keys(messageOf({ kind: "test", at_ms }, stamp)))
    assert.match(guide, new RegExp(`^\\|.*\`${field}\`.*\\|`, "m"), field);
});

test("each sentence names its machine, ends with no stop of its own, and stays on one line whatever it quotes", () => {
  for (const kind of kinds) {
    const { sentence, next, text, about } = messageOf(
      { kind, at_ms, about: "node2", by: "node1", why: "a\nb\r\u0007c", epoch: 4 },
      stamp,
    );
    assert.ok(
      about === "node2" && (sentence.includes("node2") || ["whole", "test"].includes(kind)),
      sentence,
    );
    assert.doesNotMatch(`${sentence}${next}${text}`, /\p{Cc}/u, kind);
    for (const each of [sentence, next]) assert.doesNotMatch(each, /\.$/, kind);
    assert.ok(text.includes("shop-0042") && text.includes("Told by node1 at 2026-11-15 03:12:07 UTC"), text);
  }
});

test("a rule that calls a human is told in its own words, with its own page", () => {
  const { sentence, code, page, next } = messageOf(
    { kind: "human-needed", at_ms, about: "node1", rule: "R-TAGS-UNREAD", question: "start", why: "a tag" },
    stamp,
  );
  assert.deepEqual(
    [sentence, code, page],
    ["node1 needs a human: a tag", "R-TAGS-UNREAD", "docs/errors/R-TAGS-UNREAD.md"],
  );
  assert.equal(next, "`duet page R-TAGS-UNREAD` on node1 says it");
});

test("a fence by a human's word is not told as one that was done", () => {
  const { sentence } = messageOf({ kind: "fence-done", at_ms, about: "node2", by: "a human" }, stamp);
  assert.match(sentence, /nothing has proven it$/);
});

test("what was left out is said in the next one", () => {
  const { left_out, text } = withLeftOut(messageOf({ kind: "test", at_ms }, stamp), 12);
  assert.equal(left_out, 12);
  assert.match(text, /12 more of this kind were left out before this one\./);
});
