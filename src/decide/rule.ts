import { minorOf } from "../base/version.ts";
import type { Ask, Decision } from "./decision.ts";
import type { Facts, Lineage } from "./facts.ts";
import { heard, newestClaim, nextEpoch } from "./lineage.ts";

/**
 * One line of a table. The first rule whose `when` holds decides, so a rule may rely on those above it not holding.
 * The sentence is what an operator reads; `{me}`, `{peer}`, `{own}`, `{theirs}`, `{newest}`, `{next}`, `{loss}`, `{confirm}`, `{accept}`,
 * `{acceptUnknown}` and `{choose}` are filled in, and of etcd's versions `{etcd}`, `{dataEtcd}`, `{peerEtcd}` and `{cluster}`. The last four of the others are one
 * command, the one that helps here; they differ in the generic sentence of the docs.
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

/** What an admin can say where a machine may not serve by itself. */
export interface Advice {
  readonly command: string;
  /** What he accepts by it, where something newer is known. */
  readonly loss: string;
}

export const always = (): boolean => true;
export const wait = () => ({ do: "wait" }) as const;
export const needsHuman = () => ({ do: "needs-human" }) as const;

export function firstMatch(table: Table, facts: Facts): Rule {
  for (const rule of table.rules) if (rule.when(facts)) return rule;
  throw new Error(`bug: no rule of the table ${table.name} holds`);
}

export function fill(sentence: string, facts: Facts, advice: () => Advice): string {
  const values: Readonly<Record<string, () => string>> = {
    me: () => facts.me,
    peer: () => facts.peerName,
    own: () => lineageText(facts.self.lineage),
    theirs: () => lineageText(heard(facts)?.lineage),
    newest: () => String(newestClaim(facts)),
    next: () => String(nextEpoch(facts)),
    loss: () => advice().loss,
    confirm: () => advice().command,
    etcd: () => facts.etcd.versions?.program ?? "unknown",
    dataEtcd: () => minorOf(facts.etcd.versions?.data ?? "") ?? "unknown",
    peerEtcd: () => facts.etcd.versions?.peer ?? "unknown",
    cluster: () => minorOf(facts.etcd.versions?.cluster ?? "") ?? "unknown",
    accept: () => advice().command,
    acceptUnknown: () => advice().command,
    choose: () => advice().command,
  };
  return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name]?.() ?? whole);
}

export const lineageText = (lineage: Lineage | undefined): string =>
  lineage === undefined ? "no epoch" : `epoch ${lineage.epoch} of ${lineage.owner}`;
