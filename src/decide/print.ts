import type { Deed } from "./decision.ts";
import { empty, type Facts, no_word } from "./facts.ts";
import type { Rule } from "./rule.ts";
import { tableNames, tables } from "./rules.ts";

/** The tables for people and for other programs: all but the code. */
export interface PlainTable {
  readonly name: string;
  readonly question: string;
  readonly design: string;
  readonly rules: readonly PlainRule[];
}
export interface PlainRule {
  readonly id: string;
  readonly sentence: string;
  /** What it decides; `ask TABLE` hands the question on. */
  readonly decisions: readonly (Deed | `ask ${string}`)[];
}

export function plainTables(): readonly PlainTable[] {
  return tableNames.map((key) => {
    const { name, question, design, rules } = tables[key];
    return {
      name,
      question,
      design,
      rules: rules.map((rule) => ({ id: rule.id, sentence: plain(rule.sentence), decisions: leadsTo(rule) })),
    };
  });
}

const lineage = { epoch: 1, owner: "a" };
const plainly: Facts = {
  me: "a",
  peerName: "b",
  self: { ...empty, lineage },
  peer: { seen: "never" },
  peerPower: "unreadable",
  proof: "none",
  fencePending: true,
  started: true,
  word: no_word,
  tags: { mine: { kind: "blank" }, theirs: { kind: "blank" } },
  witness: "on",
  firstStart: false,
  etcd: { running: false, leader: false, failedStarts: 0 },
  stopping: "shutdown",
};
/** A takeover that was cut short is the one thing that makes a rule decide otherwise. */
const owed: Facts = { ...plainly, self: { ...plainly.self, takeover: { step: "served", epoch: 1 } } };

function leadsTo({ decide }: Rule): PlainRule["decisions"] {
  const all = [plainly, owed].map((facts) => {
    const decision = decide(facts);
    return decision.do === "ask" ? (`ask ${decision.table}` as const) : decision.do;
  });
  return [...new Set(all)];
}

const words: Readonly<Record<string, string>> = {
  me: "A",
  peer: "B",
  own: "A's epoch",
  theirs: "B's epoch",
  newest: "N",
  next: "N",
  confirm: "duet confirm-peer-down",
  etcd: "V",
  dataEtcd: "V",
  peerEtcd: "V",
  cluster: "V",
  loss: "epoch N",
  accept: "duet confirm-peer-down --accept-data-loss N",
  choose: "duet choose-data A --accept-data-loss N",
  acceptUnknown: "duet confirm-peer-down --accept-data-loss unknown",
};

/** The sentence for any two machines: A is the one that decides, B its peer. */
const plain = (sentence: string): string =>
  sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => words[name] ?? name);
