import type { Explored, Found } from "../../sim/kernel/explore.ts";
import { newTally, type Tally } from "../../sim/storm.ts";

/** Seeds one after the other, for one worker. */
export interface Chunk {
  readonly seed: number;
  readonly schedules: number;
}

/** What a tally counts, as data that can go from process to process. */
export type TallyJson = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

/** What came of a chunk; it ends with the first seed that breaks something. */
export interface Part {
  readonly seed: number;
  readonly schedules: number;
  readonly events: number;
  readonly found?: Found | undefined;
  readonly tally: TallyJson;
}

export interface Worker {
  run(chunk: Chunk): Promise<Part>;
  end(): void;
}

export interface Range {
  readonly seed: number;
  readonly schedules: number;
  readonly goOn: () => boolean;
  /** Called with how many schedules have run so far, over all workers, and the last seed. */
  readonly onProgress: (schedules: number, seed: number) => void;
}

/** Small enough that all workers end about together, and large enough that nobody waits for the next. */
const chunk_schedules_max = 40;

/**
 * Hands out chunks in order of their seeds and puts the parts together in the same order, whoever was faster: so the result of
 * so many schedules is the same with any number of workers, and a violation that is told is the one with the lowest seed.
 */
export async function exploreWith(
  workers: readonly Worker[],
  range: Range,
): Promise<Explored & { readonly tally: Tally }> {
  const size = Math.min(chunk_schedules_max, Math.ceil(range.schedules / (4 * workers.length)));
  const end = range.seed + range.schedules;
  const tally = newTally();
  const waiting = new Map<number, Part>();
  let next = range.seed;
  let merged = range.seed;
  let broken = false;
  let ran = 0;
  let schedules = 0;
  let events = 0;
  let found: Found | undefined;

  const merge = () => {
    for (
      let part = waiting.get(merged);
      part !== undefined && found === undefined;
      part = waiting.get(merged)
    ) {
      waiting.delete(merged);
      merged += part.schedules;
      schedules += part.schedules;
      events += part.events;
      found = part.found;
      addTally(tally, part.tally);
    }
  };
  const work = async (worker: Worker) => {
    while (next < end && !broken && range.goOn()) {
      const chunk = { seed: next, schedules: Math.min(size, end - next) };
      next += chunk.schedules;
      const part = await worker.run(chunk);
      waiting.set(part.seed, part);
      // What lies above it is of no interest any more; what lies below is under way.
      if (part.found !== undefined) broken = true;
      ran += part.schedules;
      merge();
      range.onProgress(ran, part.seed + part.schedules - 1);
    }
  };
  try {
    await Promise.all(workers.map(work));
  } finally {
    for (const worker of workers) worker.end();
  }
  return { schedules, events, found, tally };
}

type Counts = Readonly<Record<string, number>>;

/** Infinity, which is no number in JSON, says of a least that there was none: it is left out. */
export const tallyJson = (tally: Tally): TallyJson =>
  Object.fromEntries(
    Object.entries(tally).map(([name, value]: [string, number | ReadonlyMap<string, number> | Counts]) => [
      name,
      typeof value === "number"
        ? value
        : Object.fromEntries(
            (value instanceof Map ? [...value] : Object.entries(value)).filter(([, n]) => Number.isFinite(n)),
          ),
    ]),
  );

/** Whatever a tally counts: numbers and maps are sums, in `least` the smallest counts. */
export function addTally(tally: Tally, part: TallyJson): void {
  for (const [name, value] of Object.entries(tally)) {
    const more = part[name];
    if (typeof value === "number" && typeof more === "number") Reflect.set(tally, name, value + more);
    else if (value instanceof Map && typeof more === "object")
      for (const [key, times] of Object.entries(more)) value.set(key, (value.get(key) ?? 0) + times);
  }
  const { least } = part;
  if (typeof least !== "object") return;
  for (const [key, before] of Object.entries(tally.least))
    Reflect.set(tally.least, key, Math.min(before, least[key] ?? before));
}
