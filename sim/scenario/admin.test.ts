import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import { simWorld } from "./world.ts";

const refused = "expect the admin was refused with DUET-E-CONFIRM-REFUSED";

/** The last step of a story of a survivor that nobody can prove anything to. */
async function lastOf(...lines: readonly string[]) {
  const before = ["start both machines", "until 1+1", "cut the feed of node2", "until node2 is seen lost"];
  const { scenario } = parseScenario(`# A\n${[...before, ...lines].join("\n")}\n`, "a.txt");
  assert.ok(scenario);
  const { steps } = await runScenario(scenario, simWorld(scenario), {
    begins: () => undefined,
    ends: () => undefined,
  });
  return steps.at(-1);
}

test("whether an admin was refused is told of what was typed last, when that has ended", async () => {
  const word = "the admin says that node2 is down";
  const says = 'until node1 refuses and says "nobody can tell whether node2 is off"';
  assert.equal((await lastOf(refused))?.seen, "no admin has typed anything");
  assert.equal((await lastOf(says, word, refused))?.ok, true);
  const other = await lastOf(says, word, refused.replace("REFUSED", "STILL-ON"));
  assert.deepEqual([other?.ok, other?.seen], [false, "it ended with DUET-E-CONFIRM-REFUSED"]);
  const taken = await lastOf(says, word, `${word}, accepting the loss of epoch unknown`, refused);
  assert.deepEqual([taken?.text, taken?.ok, taken?.seen], [refused, false, "it was not refused"]);
});
