import assert from "node:assert/strict";
import { test } from "node:test";
import { duetAgent } from "../agents/etcd.ts";
import { duetFence } from "../agents/fence.ts";
import { newSite } from "../agents/site.ts";
import { noPlant } from "../plants.ts";
import { World } from "../world.ts";
import { wordAt } from "./words.ts";

const seeds = 60;

/** What an admin accepts at the steps of these storms, and on which machine. */
function acceptedBy(isAccepting: boolean): ReadonlySet<string> {
  const said = new Set<string>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const site = newSite(noPlant, new Map());
    const world = new World(
      { seed },
      { agent: (made) => duetAgent(made, site), fence: (made) => duetFence(made, site) },
    );
    const [node] = site.nodes;
    node?.state.write({ ...node.state.value, lineage: { epoch: 3, owner: node.name } });
    world.bmc(1).writeTag("duet 4 node2");
    if (isAccepting) site.acceptLoss = (machine, accept) => said.add(`${machine} ${accept}`);
    wordAt({ world, site, machine: 0 }, 0);
  }
  return said;
}

test("at a step an admin names the newest epoch that is there, what nobody knows, or both, on either machine", () => {
  const all = [0, 1].flatMap((machine) => ["unknown", "4", "4,unknown"].map((what) => `${machine} ${what}`));
  assert.deepEqual([...acceptedBy(true)].toSorted(), all.toSorted());
});

test("where nobody accepts losses a word at a step is a plain one", () => {
  assert.equal(acceptedBy(false).size, 0);
});
