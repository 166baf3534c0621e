/** What can be wrong, as data: a stable code, where, which rule, and what to do about it. */
export interface Problem {
  /** Stable id, `DUET-E…`; docs/errors/ has a page for each. */
  readonly code: string;
  /** Where: `site.yaml:12:5`, a machine's name, a URL. */
  readonly where: string;
  /** What is wrong, naming the rule that it breaks. */
  readonly what: string;
  /** What to write or do instead. */
  readonly fix: string;
}

/** Exit statuses of every duet command; docs/exit-codes.md says the same to users. */
export const exit = {
  ok: 0,
  /** The command ran, and what it was asked for failed. */
  failed: 1,
  /** The input is wrong; nothing was changed. */
  badInput: 2,
  /** duet can't do this here, or not yet. */
  notHere: 3,
} as const;
export type ExitStatus = (typeof exit)[keyof typeof exit];

/** An error that a user can act on. Anything else that is thrown is a bug of duet's. */
export class DuetError extends Error {
  readonly problems: readonly Problem[];
  readonly status: ExitStatus;

  constructor(problems: readonly Problem[], status: ExitStatus = exit.failed) {
    super(problems.map((p) => `${p.where}: ${p.what}`).join("; "));
    this.name = "DuetError";
    this.problems = problems;
    this.status = status;
  }
}

export function fail(code: string, where: string, what: string, fix: string, status?: ExitStatus): never {
  throw new DuetError([{ code, where, what, fix }], status);
}
