import { isDeepStrictEqual } from "node:util";
import { decide } from "../decide/decide.ts";
import type { Decision } from "../decide/decision.ts";
import { type Tables, tables as allTables } from "../decide/rules.ts";
import type { DecisionBody, Told } from "./entry.ts";

/** What decides, without its words: a sentence may be put better. */
export interface Answer {
  readonly decision: Decision;
  readonly rule: string;
  readonly path: readonly string[];
}

export interface Difference {
  readonly entry: Told<DecisionBody>;
  readonly recorded: Answer;
  readonly replayed: Answer;
}

export interface Replay {
  readonly decisions: number;
  /** Which duets made them, and how many each. */
  readonly versions: ReadonlyMap<string, number>;
  /** Rules by how often they took part. */
  readonly rules: ReadonlyMap<string, number>;
  readonly differences: readonly Difference[];
}

export const isDecision = (entry: Told): entry is Told<DecisionBody> => entry.kind === "decision";

/** Every recorded decision once more, from the facts that it was made from. */
export function replay(entries: readonly Told[], tables: Tables = allTables): Replay {
  const versions = new Map<string, number>();
  const rules = new Map<string, number>();
  const differences: Difference[] = [];
  const decisions = entries.filter(isDecision);
  for (const entry of decisions) {
    versions.set(entry.duet, (versions.get(entry.duet) ?? 0) + 1);
    for (const rule of entry.path) rules.set(rule, (rules.get(rule) ?? 0) + 1);
    const { decision, rule, path } = entry;
    const recorded: Answer = { decision, rule, path };
    const replayed = answer(entry, tables);
    if (!isDeepStrictEqual(recorded, replayed)) differences.push({ entry, recorded, replayed });
  }
  return { decisions: decisions.length, versions, rules, differences };
}

function answer({ question, facts }: Told<DecisionBody>, tables: Tables): Answer {
  const { decision, rule, path } = decide(question, facts, tables);
  return { decision, rule, path };
}
