import { setTimeout as timer } from "node:timers/promises";
import { fail } from "../base/problem.ts";

export const sleep = (ms: number): Promise<void> => timer(ms);

/** Milliseconds on a clock that never jumps. */
export const now_ms = (): number => performance.now();

/** The same, counted from a moment that all processes of this boot share. */
export const sinceBoot_ms = (): number => Number(process.hrtime.bigint()) / 1e6;

/**
 * Ask again and again until there is an answer. For things that send no event; where there is one, wait for that.
 * `seen` names what is waited for, so that the error says it.
 */
export async function until<T>(
  seen: string,
  ask: () => Promise<T | undefined | false>,
  options: { readonly deadline_ms: number; readonly every_ms?: number },
): Promise<T> {
  const end = now_ms() + options.deadline_ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (now_ms() >= end)
      fail(
        "DUET-E-WAIT-DEADLINE",
        seen,
        `did not happen within ${options.deadline_ms} ms`,
        "see the log of the machine concerned",
      );
    await sleep(options.every_ms ?? 100);
  }
}

/** What `work` gives, or what `late` does where it takes longer. It can't be called back: what was begun is left behind. */
export async function inTime<T>(work: Promise<T>, deadline_ms: number, late: () => T): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(late()), deadline_ms);
  try {
    return await Promise.race([promise, work]);
  } finally {
    clearTimeout(timer);
  }
}
