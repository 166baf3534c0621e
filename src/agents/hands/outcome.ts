import { type Failure, failed, type Outcome } from "../../act/effects.ts";
import { DuetError } from "../../base/problem.ts";
import { inTime, now_ms } from "../../machine/clock.ts";
import { errnoOf } from "../../machine/files.ts";

/** Errors that mean no, and not that something is broken: the log may not be committed, or it is somebody's. */
const refusals: ReadonlySet<string> = new Set([
  "DUET-E-WAL-LOCKED",
  "DUET-E-WAL-STANDING",
  "DUET-E-BACKEND-AHEAD",
  "DUET-E-BACKEND-BEHIND",
]);

const deadlines: ReadonlySet<string> = new Set(["DUET-E-PROCESS-DEADLINE", "DUET-E-WAIT-DEADLINE"]);

/** What may happen to a disk, as a value; anything else that is thrown is a bug, and stays one. */
export function failureOf(error: unknown): { readonly ok: false; readonly failure: Failure } {
  if (error instanceof DuetError) {
    const has = (codes: ReadonlySet<string>) => error.problems.some(({ code }) => codes.has(code));
    return failed(has(refusals) ? "refused" : has(deadlines) ? "deadline" : "failed", error.message);
  }
  if (error instanceof Error && errnoOf(error) !== undefined) return failed("failed", error.message);
  throw error;
}

export const attempt = <T>(ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> => ask().catch(failureOf);

/**
 * Ends by the deadline. A disk that hangs can't be called back: what was begun may still end later, so it must be of a kind
 * that does no harm then, and that may be repeated.
 */
export async function within<T>(deadline_ms: number, work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  return await inTime<Outcome<T>>(work().catch(failureOf), deadline_ms, () =>
    failed("deadline", `the disk did not do it within ${deadline_ms} ms`),
  );
}

/** What is left of a deadline that several calls share. */
export function timer(deadline_ms: number): () => number {
  const end_ms = now_ms() + deadline_ms;
  return () => Math.max(1, Math.round(end_ms - now_ms()));
}
