import { DuetError, type Problem } from "../../base/problem.ts";

/** `note` is a fact that a person should know and nothing to mend. */
export type Mark = "ok" | "warn" | "fail" | "note";

/** What one check saw. */
export interface Finding {
  /** A machine's name, or `site`. */
  readonly subject: string;
  readonly check: string;
  readonly mark: Mark;
  readonly detail: string;
  /** How long the thing itself took to answer, where that means something. */
  readonly ms?: number;
  /** How much longer it might take without harm. */
  readonly margin_ms?: number;
  /** What to do; there for everything that is not ok. */
  readonly fix?: string;
  readonly code?: string;
}

export function fromProblem(subject: string, check: string, problem: Problem, mark: Mark = "fail"): Finding {
  return { subject, check, mark, detail: problem.what, fix: problem.fix, code: problem.code };
}

/** A DuetError (a missing credentials file, say) as a finding; anything else is a bug and is thrown on. */
export function told(subject: string, check: string): (error: unknown) => Finding {
  return (error) => {
    const problem = error instanceof DuetError ? error.problems[0] : undefined;
    if (problem === undefined) throw error;
    return fromProblem(subject, check, { ...problem, what: `${problem.where}: ${problem.what}` });
  };
}

export function countMarks(findings: readonly Finding[]): Readonly<Record<Mark, number>> {
  const counts = { ok: 0, warn: 0, fail: 0, note: 0 };
  for (const { mark } of findings) counts[mark]++;
  return counts;
}
