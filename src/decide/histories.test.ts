import assert from "node:assert/strict";
import { test } from "node:test";
import { findStuck } from "./model/liveness.ts";
import { mutations } from "./model/mutations.ts";
import { everyTakeover } from "./model/product.ts";
import { judge } from "./decide.ts";
import { mayServeAlone } from "./model/oracle.ts";
import { search } from "./model/search.ts";
import { type Tables, tables } from "./rules.ts";

const budgets = [
  { name: "power, wires and BMCs that do not answer", left: { forget: 0, disk: 0, accept: 0, choose: 0 } },
  { name: "and a BMC that forgets its tag", left: { forget: 1, disk: 0, accept: 0, choose: 0 } },
  // More than a test has time for; docs/decisions/histories.md has the whole runs.
  {
    name: "and a disk that is lost",
    left: { forget: 0, disk: 1, accept: 0, choose: 0 },
    worlds_max: 300_000,
  },
  {
    name: "and an admin who accepts a loss",
    left: { forget: 0, disk: 0, accept: 1, choose: 0 },
    worlds_max: 300_000,
  },
  {
    name: "and an admin who chooses",
    left: { forget: 0, disk: 0, accept: 0, choose: 1 },
    worlds_max: 200_000,
  },
  {
    name: "and an admin who chooses, and a BMC that forgets its tag",
    left: { forget: 1, disk: 0, accept: 0, choose: 1 },
    worlds_max: 120_000,
  },
  {
    name: "and an admin who chooses, and a disk that is lost",
    left: { forget: 0, disk: 1, accept: 0, choose: 1 },
    worlds_max: 120_000,
  },
];

for (const { name, left, worlds_max } of budgets)
  test(`histories of two epochs: one machine at most may serve alone, and it holds everything (${name})`, (t) => {
    const { found, worlds, moves, whole, rules } = search({
      left,
      epoch_max: 2,
      ...(worlds_max && { worlds_max }),
    });
    assert.equal(found, undefined, found && `${found.what}\n${found.story.join("\n")}`);
    assert.equal(whole, worlds_max === undefined);
    t.diagnostic(
      `${whole ? "all" : "the nearest"} ${worlds} worlds, ${moves} moves, ${rules.size} rules spoke`,
    );
  });

test("once the faults stop there is a way to two full voters from everywhere, or a call for a person", (t) => {
  const { worlds, stuck } = findStuck({ left: { forget: 0, disk: 0, accept: 0, choose: 0 }, epoch_max: 2 });
  assert.equal(stuck.length, 0, JSON.stringify(stuck[0]));
  t.diagnostic(`${worlds} worlds`);
});

for (const mutation of mutations)
  test(`a mistake in the rules is found by a history: ${mutation.name}`, (t) => {
    const { found, worlds } = search({ ...mutation, worlds_max: 600_000 });
    assert.ok(found, "no history shows it");
    t.diagnostic(`${found.what} (${worlds} worlds); ${found.story.join("; ")}`);
  });

/** Each of these is one condition of design 3.2 and 3.7. */
const conditions = tables.takeover.rules.map(({ id }) => id).slice(0, -4);

test("a takeover table that forgets a condition differs from the design", () => {
  const forgetful = conditions.map((id) => {
    const rules = tables.takeover.rules.filter((rule) => rule.id !== id);
    return { id, tables: { ...tables, takeover: { ...tables.takeover, rules } } };
  });
  assert.deepEqual(unmissed(forgetful), []);
});

class Enough extends Error {}

/** Those that decide like the design everywhere. Another decision shows by what it does; where it waits anyway, by what it says. */
function unmissed(all: readonly { readonly id: string; readonly tables: Tables }[]): readonly string[] {
  let left = all;
  try {
    everyTakeover((facts) => {
      const right = judge("takeover", facts).decision.do;
      const may = mayServeAlone(facts);
      const alike = ({ tables: forgetful }: { readonly tables: Tables }) => {
        const { do: deed } = judge("takeover", facts, forgetful).decision;
        const serves = deed === "take-over" || deed === "resume-takeover" || deed === "start-plain";
        return serves === may && deed === right;
      };
      if (left.every(alike)) return;
      left = left.filter(alike);
      if (left.length === 0) throw new Enough();
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  return left.map(({ id }) => id);
}
