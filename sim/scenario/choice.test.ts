import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { choiceNow, chosen, sidesOf } from "../../src/decide/choice.ts";
import type { Facts } from "../../src/decide/facts.ts";
import { newestClaim } from "../../src/decide/lineage.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { runScenario } from "../../src/scenario/run.ts";
import { noPlant, type Plant, seenBy } from "../plants/plant.ts";
import { instead } from "../plants/tables.ts";
import { simWorld } from "./world.ts";

/** The step at which a story of the checkout ends where the rules have this mistake; undefined: it goes as told. */
async function failsAt(story: string, plant: Plant): Promise<string | undefined> {
  const file = join(import.meta.dirname, "../../scenarios", `${story}.txt`);
  const { scenario } = parseScenario(await readFile(file, "utf8"), file);
  assert.ok(scenario);
  const world = simWorld({ ...scenario, plant });
  const { steps } = await runScenario(scenario, world, { begins: () => undefined, ends: () => undefined });
  return steps.find(({ ok }) => !ok)?.text;
}

/** A choice that outlives its purpose: taken to be between whatever there is now. */
const unbound = (facts: Facts): Facts => {
  const { choose } = facts.word;
  if (choose === undefined) return facts;
  return { ...facts, word: { ...facts.word, choose: choiceNow(choose.of, sidesOf(facts)) } };
};
const outlives: Plant = { ...noPlant, tables: seenBy(["start", "takeover", "etcd"], unbound) };

/** And also for a peer that could not serve. */
const forNobody: Plant = {
  ...noPlant,
  tables: instead("start", ["R-CHOSEN-PEER"], {
    when: (facts) =>
      chosen(unbound(facts)) === "peer" && facts.peer.seen === "now" && facts.self.surrendered === undefined,
  }),
};

/** What was given up is chosen, whatever that costs. */
const acceptsAll = (facts: Facts): Facts =>
  facts.self.surrendered !== undefined && facts.word.choose?.of === "self" && facts.peer.seen !== "now"
    ? { ...facts, word: { ...facts.word, accept: `${newestClaim(facts)},unknown` } }
    : facts;

test("a choice that outlives its purpose leaves nobody to serve", async () => {
  assert.equal(await failsAt("choice-then-surrender", outlives), "until node2 serves");
  assert.equal(await failsAt("choice-then-wipe", forNobody), "until node2 serves");
  assert.equal(await failsAt("choice-then-surrender", noPlant), undefined);
});

test("a choice that is a word for a peer that is away switches off who serves", async () => {
  const plant: Plant = { ...noPlant, tables: seenBy(["start", "takeover", "fence"], acceptsAll) };
  assert.match((await failsAt("choice-alone-is-refused", plant)) ?? "", /^expect the admin was refused/);
});
