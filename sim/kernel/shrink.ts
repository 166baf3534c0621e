import type { Choice, Schedule } from "./choices.ts";

export interface Shrunk {
  readonly schedule: Schedule;
  readonly runs: number;
}

/**
 * The same violation with fewer choices. `run` gives the name of the check that broke, or nothing. First halves and smaller parts
 * are left out (delta debugging), then what is left gets smaller values. Ends after `runs_max` runs with the best so far.
 */
export async function shrink(
  found: { readonly seed: number; readonly choices: readonly Choice[] },
  check: string,
  run: (schedule: Schedule) => Promise<string | undefined> | string | undefined,
  runs_max = 400,
): Promise<Shrunk> {
  const { seed } = found;
  let runs = 0;
  const breaks = async (choices: readonly Choice[]): Promise<boolean> => {
    if (runs >= runs_max) return false;
    runs += 1;
    return (await run({ seed, choices })) === check;
  };
  let best = await without(found.choices, breaks);
  best = await smaller(best, breaks);
  return { schedule: { seed, choices: best }, runs };
}

type Breaks = (choices: readonly Choice[]) => Promise<boolean>;

async function without(all: readonly Choice[], breaks: Breaks): Promise<readonly Choice[]> {
  let best = all;
  for (let size = Math.ceil(best.length / 2); size >= 1 && best.length > 0; ) {
    let removed = false;
    for (let at = 0; at < best.length; ) {
      const left = [...best.slice(0, at), ...best.slice(at + size)];
      if (await breaks(left)) {
        best = left;
        removed = true;
      } else at += size;
    }
    if (size === 1 && !removed) break;
    size = removed && size === 1 ? 1 : Math.floor(size / 2);
  }
  return best;
}

async function smaller(all: readonly Choice[], breaks: Breaks): Promise<readonly Choice[]> {
  let best = all;
  for (let at = 0; at < best.length; at += 1) {
    const choice = best[at];
    if (choice === undefined || choice.value <= 1) continue;
    for (const value of [1, choice.value >> 1]) {
      const less = best.with(at, { ...choice, value });
      if (value > 0 && value < choice.value && (await breaks(less))) {
        best = less;
        break;
      }
    }
  }
  return best;
}
