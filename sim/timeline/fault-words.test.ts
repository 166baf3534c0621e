import assert from "node:assert/strict";
import { test } from "node:test";
import { stormKinds } from "../storm-kinds.ts";
import { faultWords } from "./fault-words.ts";

test("a fault is told of the machine that it strikes", () => {
  const told = (name: string) => faultWords(name, 1);
  assert.equal(told("a power cut"), "the power of node2 is cut");
  assert.equal(told("both links are cut"), "both links are cut");
  assert.equal(told("etcd's link is cut in one direction"), "etcd's link is cut from node2 to node1");
  assert.equal(told("a BMC's fault: lies"), "the BMC of node2 has the fault: lies");
  assert.equal(told("the peer loses its power"), "node1 loses its power");
  assert.equal(
    told("one leaves, the other stays, and the first is back"),
    "node2 leaves, node1 stays, and node2 is back",
  );
  assert.equal(told("an earthquake"), "an earthquake (node2)");
});

test("no fault of a storm is told of nobody", () => {
  const names = new Set(stormKinds.flatMap(({ faults }) => faults.map(({ name }) => name)));
  assert.ok(names.size > 20);
  for (const name of names) {
    const text = faultWords(name, 0);
    assert.match(text, /node[12]|both|machines|links?|switch|power strip/, text);
    assert.doesNotMatch(text, /\bthe (machine|peer)\b|node1 of node1|\((ME|PEER)\)/, text);
  }
});
