import type { Facts } from "../src/decide/facts.ts";
import type { Rule } from "../src/decide/rule.ts";
import { type TableName, type Tables, tables } from "../src/decide/rules.ts";

/** One mistake that the simulator must find. */
export interface Plant {
  readonly name: string;
  readonly sentence: string;
  readonly tables?: Tables;
  readonly noCommitRecord?: boolean;
  readonly notifyIsProof?: boolean;
  readonly stateNotSynced?: boolean;
  readonly successBeforeOff?: boolean;
  readonly equalDelays?: boolean;
  readonly forceFlagStays?: boolean;
}

export const noPlant: Plant = { name: "none", sentence: "the rules as they are" };

function without(table: TableName, ...ids: readonly string[]): Tables {
  const rules: readonly Rule[] = tables[table].rules.filter(({ id }) => !ids.includes(id));
  if (rules.length + ids.length !== tables[table].rules.length)
    throw new Error(`bug: no such rules in ${table}`);
  return { ...tables, [table]: { ...tables[table], rules } };
}

/** A learner counts as a full voter of what its log holds. */
const asVoter = (facts: Facts): Facts =>
  facts.self.standing === "learner"
    ? { ...facts, self: { ...facts.self, standing: "voter", full: true } }
    : facts;

const learnerTables = (): Tables => ({
  ...tables,
  takeover: {
    ...tables.takeover,
    rules: tables.takeover.rules.map((rule) => ({
      ...rule,
      when: (facts: Facts) => rule.when(asVoter(facts)),
    })),
  },
});

export const plants: readonly Plant[] = [
  {
    name: "plain-force-new-cluster",
    sentence: "a takeover forces a new cluster without the commit record",
    noCommitRecord: true,
  },
  {
    name: "notify-is-proof",
    sentence: "a notification that the peer is stopped counts as proof of Off",
    notifyIsProof: true,
  },
  {
    name: "learner-takes-over",
    sentence: "a learner may take over",
    tables: learnerTables(),
  },
  {
    name: "promote-window",
    sentence: "a voter by its own log may take over, full or not",
    tables: without("takeover", "R-NOT-FULL"),
  },
  {
    name: "epoch-not-synced",
    sentence: "duet's file is written and not synced",
    stateNotSynced: true,
  },
  {
    name: "success-before-off",
    sentence: "the fence agent calls a commanded Off a success",
    successBeforeOff: true,
  },
  {
    name: "equal-delays",
    sentence: "both machines fence after the same delay",
    equalDelays: true,
  },
  {
    name: "force-flag-stays",
    sentence: "the force flag is never dropped",
    forceFlagStays: true,
  },
];
