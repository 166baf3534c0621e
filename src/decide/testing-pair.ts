import { choiceNow, sidesOf } from "./choice.ts";
import { decide } from "./decide.ts";
import { type Choice, empty, type Facts, type Holding, type Peer } from "./facts.ts";
import { me, ordinary } from "./model/product.ts";
import type { TableName } from "./rules.ts";

/** A pair at peace, for tests of single rules. */
export const lineage = { epoch: 5, owner: me };
export const voter: Holding = { ...empty, data: true, standing: "voter", lineage, full: true };
export const here = (
  facts: Holding | undefined,
  more: Partial<Extract<Peer, { seen: "now" }>> = {},
): Peer => ({
  seen: "now",
  facts,
  serving: false,
  running: true,
  stuck: false,
  leaving: false,
  ...more,
});
export const serving = { running: true, leader: true, failedStarts: 0 };
export const pair: Facts = { ...ordinary, self: voter, peer: here(voter), etcd: serving };
/** An admin has chosen now. */
export const choosing = (facts: Facts, of: Choice["of"] = "self"): Facts => ({
  ...facts,
  word: { ...facts.word, choose: choiceNow(of, sidesOf(facts)) },
});
export const said = (table: TableName, facts: Facts): string => {
  const { rule, decision } = decide(table, facts);
  return `${rule} ${decision.do}`;
};
