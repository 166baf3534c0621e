import assert from "node:assert/strict";
import { test } from "node:test";
import { ruleset } from "./wires.ts";

const machines = new Map([
  ["node1", 1],
  ["node2", 2],
]);
const rules = (text: string): readonly string[] =>
  text.split("\n").flatMap((l) => (l.includes(" drop") ? [l.trim()] : []));

test("without cuts nothing is dropped, and the table is replaced in one step", () => {
  const text = ruleset([], [], machines);
  assert.deepEqual(rules(text), []);
  assert.match(text, /^table bridge cuts\ndelete table bridge cuts\ntable bridge cuts \{/);
});

test("a link is cut between the machines in both directions, the operator's port is in no rule", () => {
  const text = ruleset([{ kind: "between", wire: "link1" }], [], machines);
  assert.deepEqual(rules(text), [
    'iifname "m1.link1" oifname "m2.link1" drop',
    'iifname "m2.link1" oifname "m1.link1" drop',
  ]);
  assert.doesNotMatch(text, /seat/);
});

test("one way drops what that machine sends, and nothing else", () => {
  const text = ruleset([{ kind: "between", wire: "link2", from: "node2" }], [], machines);
  assert.deepEqual(rules(text), ['iifname "m2.link2" oifname "m1.link2" drop']);
});

test("an unreachable BMC hears and says nothing", () => {
  assert.deepEqual(rules(ruleset([], ["b2.mgmt"], machines)), [
    'iifname "b2.mgmt" drop',
    'oifname "b2.mgmt" drop',
  ]);
});

test("on a cut management wire nothing passes, from whomever, and no name is left open at its beginning", () => {
  const text = ruleset([{ kind: "between", wire: "mgmt" }], [], machines);
  const ports = ["m1.mgmt", "b1.mgmt", "m2.mgmt", "b2.mgmt", "pdu.mgmt", "seat.mgmt"];
  assert.deepEqual(
    rules(text),
    ports.map((port) => `iifname "${port}" drop`),
  );
  assert.doesNotMatch(text, /"\*/);
});
