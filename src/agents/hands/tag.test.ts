import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { twoMachines } from "./testing-site.ts";
import { parseTag, tagText } from "./tag.ts";

const site = twoMachines({ node1: "https://192.0.2.1", node2: "https://192.0.2.2" });

test("a tag says a lineage, in at most 31 printable characters", () => {
  fc.assert(
    fc.property(fc.nat({ max: 9_999_999_999 }), fc.constantFrom("node1", "node2"), (epoch, owner) => {
      const text = tagText(site, { epoch, owner });
      assert.match(text, /^[!-~]{1,31}$/);
      assert.deepEqual(parseTag(site, text), { kind: "lineage", epoch, owner });
    }),
  );
});

test("names of 63 characters fit", () => {
  const long = { ...site, machines: site.machines.map((m) => ({ ...m, name: m.name.padEnd(63, "x") })) };
  const owner = "node2".padEnd(63, "x");
  const text = tagText(long, { epoch: 1_000_000, owner });
  assert.ok(text.length <= 31);
  assert.deepEqual(parseTag(long, text), { kind: "lineage", epoch: 1_000_000, owner });
});

test("nothing in it, another form, another site", () => {
  for (const text of [null, "", "  "]) assert.deepEqual(parseTag(site, text), { kind: "blank" });
  const text = tagText(site, { epoch: 7, owner: "node1" });
  const others = [
    "rack 7",
    text.toUpperCase(),
    `${text} `,
    text.replace(":7:", ":07:"),
    text.replace(/1$/, "3"),
    tagText({ ...site, name: "other" }, { epoch: 7, owner: "node1" }),
  ];
  for (const other of others) assert.deepEqual(parseTag(site, other), { kind: "foreign" }, other);
  // An owner is a number among the names: with other names it would be somebody else.
  const renamed = {
    ...site,
    machines: site.machines.map((m) => (m.name === "node1" ? { ...m, name: "node9" } : m)),
  };
  assert.deepEqual(parseTag(renamed, text), { kind: "foreign" });
});

test("an owner that is no machine of the site is a bug", () => {
  assert.throws(() => tagText(site, { epoch: 1, owner: "node3" }), /bug/);
});
