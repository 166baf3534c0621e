import assert from "node:assert/strict";
import { test } from "node:test";
import { plainTables } from "../src/decide/print.ts";
import type { Rule } from "../src/decide/rule.ts";
import { tables } from "../src/decide/rules.ts";
import { asks } from "./admin.ts";
import { duetAgent } from "./agents/etcd.ts";
import { duetFence } from "./agents/fence.ts";
import { newSite } from "./agents/site.ts";
import { explore } from "./kernel/explore.ts";
import { noPlant } from "./plants.ts";
import { falsehood, oneEtcd, reasons } from "./reasons.ts";
import { stormRunner } from "./storm.ts";
import { World } from "./world.ts";

test("every rule that calls a person says when that is true, and an admin knows what to do", () => {
  const calling = plainTables().flatMap(({ rules }) =>
    rules
      .filter(({ id, decisions }) => decisions.includes("needs-human") && !oneEtcd.has(id))
      .map(({ id }) => id),
  );
  assert.ok(calling.length > 10);
  assert.deepEqual(Object.keys(reasons).toSorted(), calling.toSorted());
  assert.deepEqual(Object.keys(asks).toSorted(), calling.toSorted());
});

test("a call for a person that nobody needs is found", async () => {
  const rules = tables.start.rules.map(
    (rule): Rule => (rule.id === "R-BOTH-VOTERS" ? { ...rule, decide: () => ({ do: "needs-human" }) } : rule),
  );
  const plant = {
    ...noPlant,
    name: "two voters call",
    tables: { ...tables, start: { ...tables.start, rules } },
  };
  const { found } = await explore(stormRunner(plant), { seed: 1, schedules: 40 });
  assert.equal(found?.violation.check, "a reason that is not true");
});

test("a sentence is held against the disks, not against what anybody read", () => {
  const site = newSite(noPlant, new Map());
  const world = new World(
    { seed: 1 },
    { agent: (made) => duetAgent(made, site), fence: (made) => duetFence(made, site) },
  );
  const truth = { world, site };
  assert.equal(falsehood(truth, 0, "R-NO-DATA-ANYWHERE"), undefined);
  assert.match(falsehood(truth, 0, "R-TIE") ?? "", /is not true/);
  assert.match(falsehood(truth, 0, "R-JOIN") ?? "", /nothing says when/);
  const [one, other] = site.nodes;
  assert.ok(one && other);
  for (const node of site.nodes) {
    world
      .unit(node.id)
      .create(node.id + 1, 7)
      .wal.save({ term: 1, vote: 0, commit: 0 }, []);
    node.state.write({ ...node.state.value, lineage: { epoch: 1_000_000, owner: node.name } });
  }
  assert.equal(falsehood(truth, 0, "R-TIE"), undefined);
  assert.match(falsehood(truth, 0, "R-NO-DATA-ANYWHERE") ?? "", /is not true/);
});
