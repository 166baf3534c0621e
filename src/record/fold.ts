import type { AgainBody, DecisionBody } from "./entry.ts";
import type { Fold } from "./memory.ts";

/** A decision that stands longer is written down in full once more: the files before it may be gone by then. */
export const fold_ms_max = 3_600_000;

export interface Folded {
  /** In this order. */
  readonly write: readonly (AgainBody | DecisionBody)[];
  readonly fold: Fold;
}

/**
 * A monitor decides the same all day long. What is decided as the last time, by the same rule, is only counted; the count is
 * written when the next full entry is. A decision that differs is never folded.
 */
export function fold(was: Fold | undefined, body: DecisionBody, now_ms: number): Folded {
  const { question, rule } = body;
  const decision = JSON.stringify(body.decision);
  const same = was !== undefined && was.rule === rule && was.decision === decision;
  if (same && now_ms - was.written_ms < fold_ms_max)
    return { write: [], fold: { ...was, count: was.count + 1, last_ms: now_ms } };
  return {
    write: [...counted(question, was), body],
    fold: { rule, decision, written_ms: now_ms, count: 0, last_ms: now_ms },
  };
}

export function counted(question: DecisionBody["question"], was: Fold | undefined): readonly AgainBody[] {
  if (was === undefined || was.count === 0) return [];
  const { rule, count, last_ms, written_ms } = was;
  return [{ kind: "again", question, rule, count, for_ms: last_ms - written_ms }];
}
