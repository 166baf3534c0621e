import { join } from "node:path";
import { createInterface } from "node:readline";
import { isSea } from "node:sea";
import { setFlagsFromString } from "node:v8";
import * as v from "valibot";
import { explore } from "../../sim/kernel/explore.ts";
import { noPlant, type Plant } from "../../sim/plants.ts";
import { newTally, stormRunner } from "../../sim/storm.ts";
import { startCompanion } from "../machine/companion.ts";
import { Asked } from "./sim-options.ts";
import { type Chunk, type Part, tallyJson, type Worker } from "./sim-parts.ts";

/** Far more than a chunk takes on the slowest machine. */
const chunk_ms_max = 300_000;

/** The number is what counts: a seed's run is the same in whatever process, and after whatever other seed. */
export async function runChunk(plant: Plant, chunk: Chunk): Promise<Part> {
  const tally = newTally();
  const { schedules, events, found } = await explore(stormRunner(plant, tally), chunk);
  return { seed: chunk.seed, schedules, events, found, tally: tallyJson(tally) };
}

/**
 * V8 gives young objects more room when they survive, and of a schedule hardly any do: the room would stay small for thousands of
 * schedules, and be searched often. It still ends at V8's own limit.
 */
const growFast = (): void => setFlagsFromString("--semi-space-growth-factor=8");

/** In this process, or each in one of its own: this same program once more. */
export function startWorkers(plant: Plant, jobs: number): readonly Worker[] {
  if (jobs === 1) {
    growFast();
    return [{ run: (chunk) => runChunk(plant, chunk), end: () => undefined }];
  }
  const planted = plant === noPlant ? [] : ["--plant", plant.name];
  return Array.from({ length: jobs }, () => {
    const companion = startCompanion([...self(), "sim", "work", ...planted], chunk_ms_max);
    return {
      run: async (chunk) => v.parse(partSchema, JSON.parse(await companion.ask(JSON.stringify(chunk)))),
      end: () => companion.end(),
    };
  });
}

const self = (): [string, ...string[]] =>
  isSea()
    ? [process.execPath]
    : [process.execPath, ...process.execArgv, join(import.meta.dirname, "main.ts")];

/** The other end: a chunk in a line, what came of it in a line, until the input ends. */
export async function simWork(name: string | undefined): Promise<void> {
  const asked = new Asked();
  const plant = asked.plant(name);
  asked.settle();
  growFast();
  try {
    for await (const line of createInterface({ input: process.stdin })) {
      const part = await runChunk(plant, v.parse(chunkSchema, JSON.parse(line)));
      process.stdout.write(`${JSON.stringify(part)}\n`);
    }
  } finally {
    // An open input would keep a worker that failed alive, and whoever asked it waiting.
    process.stdin.destroy();
  }
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const chunkSchema = v.object({ seed: count, schedules: count });
const partSchema = v.object({
  seed: count,
  schedules: count,
  events: count,
  found: v.optional(
    v.object({
      seed: count,
      violation: v.object({ check: v.string(), what: v.string(), at_us: v.number() }),
      choices: v.array(v.object({ label: v.string(), nth: count, value: count })),
    }),
  ),
  tally: v.record(v.string(), v.union([count, v.record(v.string(), count)])),
});
