import { minorOf } from "../base/version.ts";
import type { Ask, Decision } from "./decision.ts";
import type { Facts, Lineage } from "./facts.ts";
import { accepting, confirming, heard, newestClaim, nextEpoch } from "./lineage.ts";

/**
 * One line of a table. The first rule whose `when` holds decides, so a rule may rely on those above it not holding.
 * The sentence is what an operator reads; `{me}`, `{peer}`, `{own}`, `{theirs}`, `{newest}`, `{next}`, `{confirm}`, `{accept}` and
 * `{acceptUnknown}` are filled in, and of etcd's versions `{etcd}`, `{dataEtcd}`, `{peerEtcd}` and `{cluster}`.
 */
export interface Rule {
  /** Stable: logs, tests and docs name it. */
  readonly id: string;
  readonly sentence: string;
  readonly when: (facts: Facts) => boolean;
  readonly decide: (facts: Facts) => Decision | Ask;
}

export interface Table {
  readonly name: string;
  /** What is asked, in the words of the machine that asks it. */
  readonly question: string;
  /** The sections of the design that it follows. */
  readonly design: string;
  readonly rules: readonly Rule[];
}

export const always = (): boolean => true;
export const wait = () => ({ do: "wait" }) as const;
export const needsHuman = () => ({ do: "needs-human" }) as const;

export function firstMatch(table: Table, facts: Facts): Rule {
  for (const rule of table.rules) if (rule.when(facts)) return rule;
  throw new Error(`bug: no rule of the table ${table.name} holds`);
}

export function fill(sentence: string, facts: Facts): string {
  const values: Readonly<Record<string, () => string>> = {
    me: () => facts.me,
    peer: () => facts.peerName,
    own: () => lineageText(facts.self.lineage),
    theirs: () => lineageText(heard(facts)?.lineage),
    newest: () => String(newestClaim(facts)),
    next: () => String(nextEpoch(facts)),
    confirm: () => confirming(facts),
    etcd: () => facts.etcd.versions?.program ?? "unknown",
    dataEtcd: () => minorOf(facts.etcd.versions?.data ?? "") ?? "unknown",
    peerEtcd: () => facts.etcd.versions?.peer ?? "unknown",
    cluster: () => minorOf(facts.etcd.versions?.cluster ?? "") ?? "unknown",
    accept: () => accepting(facts, newestClaim(facts)),
    acceptUnknown: () => accepting(facts, "unknown"),
  };
  return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name]?.() ?? whole);
}

export const lineageText = (lineage: Lineage | undefined): string =>
  lineage === undefined ? "no epoch" : `epoch ${lineage.epoch} of ${lineage.owner}`;
