import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { DuetError, type Problem } from "../../base/problem.ts";
import { exists, makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";

/** How far this machine's setup has come, for whoever asks later: `duet check` from the operator's seat, and people. */
export const setupReport = v.variant("state", [
  v.object({ state: v.literal("done"), at: v.string() }),
  v.object({
    state: v.literal("failed"),
    at: v.string(),
    step: v.string(),
    problems: v.array(v.object({ code: v.string(), where: v.string(), what: v.string(), fix: v.string() })),
  }),
  /** It has not come to an end yet: it runs, or was cut off and will run at the next boot. */
  v.object({ state: v.literal("begun") }),
]);
export type SetupReport = v.InferOutput<typeof setupReport>;

interface Places {
  readonly setupDone: string;
  readonly setupFailed: string;
}

export async function noteDone(at: Date, where: Places = paths): Promise<void> {
  await makeFolder(dirname(where.setupDone));
  await replaceSynced(where.setupDone, `${at.toISOString()}\n`);
  await rm(where.setupFailed, { force: true });
}

/** Kept until a later run comes to its end: that the last one failed is true also while the next one tries. */
export async function noteFailed(
  error: unknown,
  step: string,
  at: Date,
  where: Places = paths,
): Promise<void> {
  const report: SetupReport = {
    state: "failed",
    at: at.toISOString(),
    step,
    problems: problemsOf(error).map(({ code, where: place, what, fix }) => ({
      code,
      where: place,
      what,
      fix,
    })),
  };
  await makeFolder(dirname(where.setupFailed));
  await replaceSynced(where.setupFailed, `${JSON.stringify(report)}\n`);
}

function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof DuetError) return error.problems;
  const what = error instanceof Error ? error.message : String(error);
  return [
    {
      code: "DUET-E-BUG",
      where: "duet setup",
      what,
      fix: "please report it, with the journal of duet-setup",
    },
  ];
}

export async function readSetupReport(where: Places = paths): Promise<SetupReport> {
  const failed = await readIfThere(where.setupFailed);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), setupReport), failed);
  if (parsed.success) return parsed.output;
  const done = (await exists(where.setupDone)) ? await readIfThere(where.setupDone) : undefined;
  return done === undefined ? { state: "begun" } : { state: "done", at: done.trim() };
}
