import type { Choice, Schedule } from "./choices.ts";

export interface Shrunk {
  readonly schedule: Schedule;
  readonly runs: number;
}

/**
 * The same violation with fewer choices. `run` gives the name of the check that broke, or nothing. First all choices of one kind
 * are left out at once (most of a wire's troubles are noise), then halves and smaller parts (delta debugging), then what is left
 * gets smaller values, which may make more of it needless. Ends after `runs_max` runs with the best so far.
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
  let best = await withoutKinds(found.choices, breaks);
  for (let before = best.length + 1; best.length < before; ) {
    before = best.length;
    best = await smaller(await without(best, breaks), breaks);
  }
  return { schedule: { seed, choices: best }, runs };
}

/** With more than that there are cheaper things to try. */
const few = 20;

type Breaks = (choices: readonly Choice[]) => Promise<boolean>;

/** The kinds with the most choices first: they hide what matters. */
async function withoutKinds(all: readonly Choice[], breaks: Breaks): Promise<readonly Choice[]> {
  const counts = new Map<string, number>();
  for (const { label } of all) counts.set(label, (counts.get(label) ?? 0) + 1);
  const labels = [...counts].toSorted((a, b) => b[1] - a[1]).map(([label]) => label);
  let best = all;
  for (const label of labels) {
    const left = best.filter((choice) => choice.label !== label);
    if (await breaks(left)) best = left;
  }
  return best;
}

async function without(all: readonly Choice[], breaks: Breaks): Promise<readonly Choice[]> {
  let best = all;
  for (let size = Math.ceil(best.length / 2); size >= 1 && best.length > 0; ) {
    let removed = false;
    for (let at = 0; at < best.length; ) {
      const left = await firstThat(breaks, cutOut(best, at, size));
      if (left !== undefined) {
        best = left;
        removed = true;
      } else at += size;
    }
    if (size === 1 && !removed) break;
    size = removed && size === 1 ? 1 : Math.floor(size / 2);
  }
  return best;
}

/**
 * The choices without some of them; and once more with those that come later moved up: where nothing asks any more for what was
 * left out, the next one of its kind is asked in its place. A single one may also have been what made others be asked.
 */
function cutOut(all: readonly Choice[], at: number, size: number): readonly (readonly Choice[])[] {
  const gone = all.slice(at, at + size);
  const before = all.slice(0, at);
  const after = all.slice(at + size);
  const moved = (label: string, up: number) =>
    after.map((choice) => (choice.label === label ? { ...choice, nth: choice.nth - up } : choice));
  const kinds = new Set(size > 1 ? gone.map(({ label }) => label) : after.map(({ label }) => label));
  const up = (label: string) => Math.max(1, gone.filter((choice) => choice.label === label).length);
  const tries = [...kinds].map((label) => [...before, ...moved(label, up(label))]);
  return [[...before, ...after], ...(all.length > few && size === 1 ? [] : tries)];
}

async function firstThat(
  breaks: Breaks,
  tries: readonly (readonly Choice[])[],
): Promise<readonly Choice[] | undefined> {
  for (const choices of tries) if (await breaks(choices)) return choices;
  return undefined;
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
