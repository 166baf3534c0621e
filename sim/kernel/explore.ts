import type { Choice, Schedule } from "./choices.ts";
import type { Kernel, Violation } from "./kernel.ts";
import { shrink } from "./shrink.ts";

/** Builds a world from a schedule, runs it to its end, and hands back its kernel. The same schedule, the same run. */
export type Runner = (schedule: Schedule, options: { readonly trace: boolean }) => Promise<Kernel> | Kernel;

export interface Found {
  readonly seed: number;
  readonly violation: Violation;
  readonly choices: readonly Choice[];
}

export interface Explored {
  readonly schedules: number;
  readonly events: number;
  readonly found: Found | undefined;
}

export interface Range {
  readonly seed: number;
  readonly schedules: number;
  readonly goOn?: () => boolean;
  /** Only what breaks one of these counts. */
  readonly checks?: readonly string[];
}

/** Seed after seed, until something breaks, the number is reached, or `goOn` says no. */
export async function explore(run: Runner, range: Range): Promise<Explored> {
  let events = 0;
  let schedules = 0;
  for (let seed = range.seed; schedules < range.schedules && range.goOn?.() !== false; seed += 1) {
    const kernel = await named(seed, run({ seed }, { trace: false }));
    schedules += 1;
    events += kernel.events;
    const { violation, choices } = kernel;
    if (violation !== undefined && range.checks?.includes(violation.check) !== false)
      return { schedules, events, found: { seed, violation, choices: choices.taken } };
  }
  return { schedules, events, found: undefined };
}

/** A mistake in the world, or in what runs there: the seed that shows it is half of the way to its cause. */
async function named(seed: number, run: Promise<Kernel> | Kernel): Promise<Kernel> {
  try {
    return await run;
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** The fewest choices that still break the same check. */
export async function shrinkFound(run: Runner, found: Found, runs_max?: number): Promise<Schedule> {
  const check = async (schedule: Schedule) => (await run(schedule, { trace: false })).violation?.check;
  return (await shrink(found, found.violation.check, check, runs_max)).schedule;
}

/** A run again, with its trace: the lines of all kinds, or of those that begin with one of the prefixes. */
export async function story(
  run: Runner,
  schedule: Schedule,
  ...prefixes: readonly string[]
): Promise<readonly string[]> {
  const kernel = await run(schedule, { trace: true });
  return [...kernel.trace.lines(...prefixes)];
}
