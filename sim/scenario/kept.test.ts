import assert from "node:assert/strict";
import { test } from "node:test";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import { type SimWorld, simWorld } from "./world.ts";

/** The last step of a story, and what was seen in it. */
async function lastOf(lines: readonly string[], before: (world: SimWorld) => void = () => undefined) {
  const { scenario } = parseScenario(`# A\nstart both machines\nuntil 1+1\n${lines.join("\n")}\n`, "a.txt");
  assert.ok(scenario);
  const world = simWorld(scenario);
  before(world);
  const { steps } = await runScenario(scenario, world, { begins: () => undefined, ends: () => undefined });
  return steps.at(-1);
}

const accepted = [
  "clients write",
  "cut the power of node2",
  "until node1 serves",
  "cut the power of node1",
  "power on node2",
  'until node2 refuses and says "accepts the loss of epoch"',
  "the admin says that node1 is down, accepting the loss of epoch 2",
  "until node2 serves",
  "power on node1",
  "until 1+1",
];

test("data was kept where it was moved aside since it was given away, and not where it was before", async () => {
  const isKept = "expect the data of node1 was kept";
  assert.equal((await lastOf([...accepted, isKept]))?.ok, true);
  const none = await lastOf(["clients write", isKept]);
  assert.deepEqual([none?.text, none?.ok], [isKept, false]);
  // A word that gives data away once more: what was moved aside by then is another loss's.
  const again = [...accepted, "the admin chooses the data of node2", isKept];
  assert.equal((await lastOf(again))?.ok, false);
});

test("revisions went back where they could not be raised; and of clients that saw none nothing can be said", async () => {
  const grew = "expect revisions never went back";
  const well = await lastOf([...accepted, grew]);
  assert.match(well?.seen ?? "", /clients saw 2000000\d+, and etcd is at revision 2000000\d+/);
  assert.equal(well?.ok, true);
  const failing = await lastOf([...accepted, grew], ({ stage }) => {
    stage.site.raise_fails_ppm = 1_000_000;
  });
  assert.deepEqual([failing?.text, failing?.ok], [grew, false]);
  assert.match(failing?.seen ?? "", /could not be raised/);
  assert.equal((await lastOf([grew]))?.ok, false);
});
