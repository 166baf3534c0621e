import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import { simWorld } from "./world.ts";

/** The last step that a story came to. */
async function lastOf(...lines: readonly string[]) {
  const { scenario, problems } = parseScenario(`# A\n${lines.join("\n")}\n`, "a.txt");
  assert.deepEqual(problems, []);
  assert.ok(scenario);
  const { steps } = await runScenario(scenario, simWorld(scenario), { begins: () => {}, ends: () => {} });
  return steps.at(-1);
}

const whole = ["start both machines", "until 1+1"];

test("who serves late fails a limit that counts from when the loss was seen, and no other", async () => {
  const cut = [...whole, "break node2"];
  const late = ["wait 3 minutes", "until node1 serves within 120 seconds"];
  const seen = await lastOf(...cut, "until node2 is seen lost", ...late);
  assert.deepEqual([seen?.text, seen?.ok], [late[1], false]);
  assert.match(seen?.seen ?? "", /after 0 s; .*; its 120 s count from when the loss was seen$/);
  assert.equal((await lastOf(...cut, ...late))?.ok, true, "nobody has waited for the loss");
  const unlimited = await lastOf(...cut, "until node2 is seen lost", "wait 1 hour", "until node1 serves");
  assert.equal(unlimited?.ok, true);
  // It was seen while the story waited, two seconds after the cut.
  const after = await lastOf(
    ...cut,
    "wait 1 minute",
    "until node2 is seen lost",
    "until node1 serves within 2 minutes",
  );
  assert.match(after?.seen ?? "", /^5[78]\.\d s after the loss was seen$/);
  assert.equal(
    (await lastOf(...cut, "wait 3 minutes", "until node2 is seen lost", late[1] ?? ""))?.ok,
    false,
  );
});

test("a takeover is told from a planned end, also when both are whole again", async () => {
  const none = "expect nobody took over";
  const cut = [...whole, "cut the power of node2", "until node1 serves"];
  assert.equal(
    (await lastOf(...whole, "shut down node2 in good order", "power on node2", "until 1+1", none))?.ok,
    true,
  );
  assert.match(
    (await lastOf(...cut, "power on node2", "until 1+1", none))?.seen ?? "",
    /holds epoch 2 of node1/,
  );
  assert.match(
    (await lastOf(...whole, "break node2", "until node1 serves", none))?.seen ?? "",
    /node2 tells of none/,
  );
  assert.equal((await lastOf("start node1", "start node2", "until 1+1", none))?.ok, true);
});

test("on standby a machine says that, and no sentence that it went by before", async () => {
  const lost = [...whole, "put node2 on standby", "cut the power of node1", "wait 1 minute"];
  assert.equal((await lastOf(...lost, 'expect node2 refuses and says "is on standby"'))?.ok, true);
  assert.equal((await lastOf(...lost, 'expect node2 refuses and says "waits for node1"'))?.ok, false);
});

test("what nobody has written can't be said not to be lost", async () => {
  const nothing = await lastOf(...whole, "expect nothing lost");
  assert.deepEqual([nothing?.ok, nothing?.seen], [false, "no write was acknowledged"]);
  const nobody = await lastOf(...whole, "cut the feed of both machines", "clients write");
  assert.deepEqual([nobody?.text, nobody?.ok], ["clients write", false]);
  const soon = await lastOf(
    ...whole,
    "clients write",
    "cut the power of both machines",
    "power on both machines",
    "until 1+1",
    "expect nothing lost",
  );
  assert.match(soon?.seen ?? "", /^[1-9]\d* writes acknowledged/);
});
