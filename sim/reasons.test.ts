import assert from "node:assert/strict";
import { test } from "node:test";
import type { Verdict } from "../src/decide/decide.ts";
import type { Decision, Deed } from "../src/decide/decision.ts";
import { plainTables } from "../src/decide/print.ts";
import type { Rule } from "../src/decide/rule.ts";
import { tables } from "../src/decide/rules.ts";
import { asks } from "./admin.ts";
import { duetAgent } from "./agents/etcd.ts";
import { duetFence } from "./agents/fence.ts";
import { newSite } from "./agents/site.ts";
import { explore } from "./kernel/explore.ts";
import { noPlant, type Plant } from "./plants.ts";
import { claiming, claims, falsehood, oneEtcd, reasons, silent, untrue } from "./reasons.ts";
import { stormRunner } from "./storm.ts";
import { World } from "./world.ts";

const ruled = (deeds: ReadonlySet<string>): readonly string[] =>
  plainTables().flatMap(({ rules }) =>
    rules.filter(({ decisions }) => decisions.some((deed) => deeds.has(deed))).map(({ id }) => id),
  );

test("every rule that calls a person says when that is true, and an admin knows what to do", () => {
  const calling = ruled(new Set<Deed>(["needs-human"])).filter((id) => !oneEtcd.has(id));
  assert.ok(calling.length > 10);
  assert.deepEqual(Object.keys(reasons).toSorted(), calling.toSorted());
  assert.deepEqual(Object.keys(asks).toSorted(), calling.toSorted());
});

test("every rule that waits, proves or stops says when that is true, or why it claims nothing that could be looked at", () => {
  const claimed = ruled(claiming);
  assert.ok(claimed.length > 15);
  assert.deepEqual([...Object.keys(claims), ...Object.keys(silent)].toSorted(), claimed.toSorted());
  assert.ok(Object.keys(silent).length <= 2);
});

/** The rules of one table, with one of them changed. */
const changed = (table: "start" | "tags", id: string, change: (rule: Rule) => Rule): Plant => {
  const rules = tables[table].rules.map((rule) => (rule.id === id ? change(rule) : rule));
  return { ...noPlant, name: id, tables: { ...tables, [table]: { ...tables[table], rules } } };
};
const found = async (plant: Plant): Promise<string> => {
  const told = await explore(stormRunner(plant), {
    seed: 1,
    schedules: 40,
    checks: ["a reason that is not true"],
  });
  return told.found?.violation.what ?? "";
};

test("a machine that waits for a reason that is not so is found", async () => {
  const wait = (rule: Rule): Rule => ({ ...rule, id: "R-NO-DATA", decide: () => ({ do: "wait" }) });
  assert.match(await found(changed("start", "R-ALONE", wait)), /^R-NO-DATA is not true; node/);
});

test("an alarm that is false is found in the moment in which it stops a machine", async () => {
  const alarm = (rule: Rule): Rule => ({ ...rule, when: ({ peer }) => peer.seen !== "now" });
  assert.match(await found(changed("tags", "R-TAGS-CLAIM", alarm)), /^R-TAGS-CLAIM is not true; node/);
});

test("a call for a person that nobody needs is found", async () => {
  const plant = changed("start", "R-BOTH-VOTERS", (rule) => ({
    ...rule,
    decide: () => ({ do: "needs-human" }),
  }));
  assert.match(await found(plant), /^R-BOTH-VOTERS calls a person/);
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
  const says = (decision: Decision, rule: string): Verdict => ({
    decision,
    rule,
    path: [rule],
    sentence: "",
  });
  const wait = { do: "wait" } as const;
  assert.match(untrue(truth, 0, says(wait, "R-NO-DATA")) ?? "", /is not true/);
  assert.equal(untrue(truth, 0, says(wait, "R-NOT-VOTER")), undefined);
  assert.match(untrue(truth, 0, says(wait, "R-JOIN")) ?? "", /nothing says when/);
  assert.equal(untrue(truth, 0, says({ do: "join-as-learner" }, "R-JOIN")), undefined);
  world.bmc(1).writeTag("duet 1000000 node1");
  assert.match(untrue(truth, 0, says({ do: "stop-and-alarm" }, "R-TAGS-CLAIM")) ?? "", /is not true/);
  world.bmc(1).writeTag("duet 1000001 node1");
  assert.equal(untrue(truth, 0, says({ do: "stop-and-alarm" }, "R-TAGS-CLAIM")), undefined);
});
