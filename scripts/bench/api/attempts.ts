import type { Progress } from "../../../src/machine/progress.ts";
import type { Outcome } from "../failover/table.ts";

export type Say = (detail: string) => void;

/** What came of it. One that fails is told at once, and ends nothing. */
export async function attempt<T>(
  progress: Progress,
  what: string,
  work: (say: Say) => Promise<T>,
): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await progress.step(what, work) };
  } catch (error) {
    return failed(progress, error);
  }
}

/** Told, and nothing else: figures that are there are worth more than a lab that is gone. */
export async function quietly(progress: Progress, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failed(progress, error);
  }
}

export function failed(progress: Progress, error: unknown): { readonly ok: false; readonly why: string } {
  if (!(error instanceof Error)) throw error;
  progress.say(`    ${error.message}`);
  return { ok: false, why: error.message };
}

export const runName = (what: string, run: number, runs: number): string =>
  runs === 1 ? what : `${what}, run ${run} of ${runs}`;

/** A lab that is made when it is needed. */
interface Labs<P> {
  readonly place: () => Promise<P>;
  readonly close: () => Promise<void>;
}

/** Attempts in a lab: after one that failed the next gets new machines. Without any lab there is nothing to measure, and that is no failed run. */
export class Attempts<P> {
  readonly #labs: Labs<P>;
  readonly #progress: Progress;
  #hadLab = false;

  constructor(labs: Labs<P>, progress: Progress) {
    this.#labs = labs;
    this.#progress = progress;
  }

  async run<T>(what: string, work: (place: P, say: Say) => Promise<T>): Promise<Outcome<T>> {
    const outcome = await this.#try(what, work);
    // What is left of a lab that could not be taken away makes the next attempt fail, which is told there.
    if (!outcome.ok) await this.close();
    return outcome;
  }

  async close(): Promise<void> {
    await quietly(this.#progress, () => this.#labs.close());
  }

  async #try<T>(what: string, work: (place: P, say: Say) => Promise<T>): Promise<Outcome<T>> {
    let place: P;
    try {
      place = await this.#labs.place();
    } catch (error) {
      if (!this.#hadLab) throw error;
      return failed(this.#progress, error);
    }
    this.#hadLab = true;
    return await attempt(this.#progress, what, (say) => work(place, say));
  }
}
