import { DuetError } from "../../base/problem.ts";
import { inTime } from "../../machine/clock.ts";
import { errnoOf } from "../../machine/files.ts";
import { type Known, unknown } from "./report.ts";

/** Each source has its own, and all are asked at once: one that hangs costs its own line, and the whole not more than this. */
export const source_ms = 2_000;

/** A source that can't be asked is a line that says why; what hangs is left behind at the deadline. */
export async function attempt<T>(
  what: string,
  ask: () => Promise<Known<T>>,
  deadline_ms: number = source_ms + 300,
): Promise<Known<T>> {
  return await inTime<Known<T>>(
    ask().catch((error: unknown) => unknown(reasonOf(what, error))),
    deadline_ms,
    () => unknown(`${what} did not answer within ${deadline_ms} ms`),
  );
}

function reasonOf(what: string, error: unknown): string {
  const [problem] = error instanceof DuetError ? error.problems : [];
  if (problem?.code === "DUET-E-PROCESS-DEADLINE") return `${what} did not answer in time`;
  if (problem !== undefined) return problem.what.slice(0, 500);
  if (errnoOf(error) !== undefined && error instanceof Error)
    return `${what}: ${error.message}`.slice(0, 500);
  throw error;
}
