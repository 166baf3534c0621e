import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "./parse.ts";
import { endsMended } from "./traits.ts";

function mended(...steps: readonly string[]): boolean {
  const text = `# A\n\nworlds: sim, lab\n\nstart both machines\nuntil 1+1\n${steps.join("\n")}\n`;
  const { scenario, problems } = parseScenario(text, "a.txt");
  assert.ok(scenario !== undefined, JSON.stringify(problems));
  return endsMended(scenario);
}

test("a story is mended if it ends with two machines, and with nothing that it did to the world", () => {
  assert.ok(mended("cut the power of node2", "power on node2", "until 1+1"));
  assert.ok(mended("the BMC of node2 lies", "the BMC of node2 is well again", "until 1+1"));
  assert.ok(mended("until 1+1", "the BMC of node2 lies", "the BMC of node2 is well again"));
});

test("a fault that is left, a loss behind the last 1+1, and what a status tells for long are not mended", () => {
  assert.ok(!mended("cut the power of node2"));
  assert.ok(!mended("the BMC of node2 lies", "until 1+1"));
  assert.ok(!mended("the BMC of node2 is well again", "the BMC of node2 lies"));
  assert.ok(!mended("break node2", "until node1 serves", "power on node2", "until 1+1"));
  assert.ok(!mended("jump the clock of node2 by 1 hour", "until 1+1"));
});
