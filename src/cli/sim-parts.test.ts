import assert from "node:assert/strict";
import { test } from "node:test";
import { newTally } from "../../sim/storm.ts";
import { addTally, type Chunk, exploreWith, type Part, tallyJson, type Worker } from "./sim-parts.ts";

/** Breaks at these seeds; each chunk takes as long as `turns` says. */
function workerOf(breaks: ReadonlySet<number>, turns: (chunk: Chunk) => number): Worker {
  return {
    run: async (chunk) => {
      for (let i = 0; i < turns(chunk); i += 1) await new Promise(setImmediate);
      let ran = 0;
      let broken: number | undefined;
      for (; ran < chunk.schedules && broken === undefined; ran += 1)
        if (breaks.has(chunk.seed + ran)) broken = chunk.seed + ran;
      const found: Part["found"] =
        broken === undefined
          ? undefined
          : { seed: broken, violation: { check: "x", what: "y", at_us: 0 }, choices: [] };
      const tally = { fired: { "R-X": ran }, operations: 2 * ran };
      return { seed: chunk.seed, schedules: ran, events: 10 * ran, found, tally };
    },
    end: () => undefined,
  };
}

const range = { seed: 5, schedules: 1_000, goOn: () => true, onProgress: () => undefined };

test("all seeds run once, and the sums are of all workers", async () => {
  const seen: number[] = [];
  const onProgress = (schedules: number) => seen.push(schedules);
  const workers = [1, 2, 3].map((slow) => workerOf(new Set(), () => slow));
  const { schedules, events, found, tally } = await exploreWith(workers, { ...range, onProgress });
  assert.deepEqual([schedules, events, found, tally.operations], [1_000, 10_000, undefined, 2_000]);
  assert.deepEqual([...tally.fired], [["R-X", 1_000]]);
  assert.equal(seen.at(-1), 1_000);
});

test("the lowest seed that breaks is told with any number of workers, whoever is fastest", async () => {
  const breaks = new Set([400, 431, 470, 900]);
  // The later the chunk, the sooner it is done: a later violation is known before the earlier.
  const turns = ({ seed }: Chunk) => Math.max(1, 40 - Math.floor(seed / 20));
  for (const jobs of [1, 2, 5, 16]) {
    const workers = Array.from({ length: jobs }, () => workerOf(breaks, turns));
    const { found, schedules, events, tally } = await exploreWith(workers, range);
    assert.deepEqual([found?.seed, schedules, events, tally.operations], [400, 396, 3_960, 792]);
  }
});

test("it ends when time is up, and every worker is told", async () => {
  let left = 6;
  let ended = 0;
  const worker = { ...workerOf(new Set(), () => 1), end: () => (ended += 1) };
  const { schedules } = await exploreWith([worker, worker], { ...range, goOn: () => left-- > 0 });
  assert.deepEqual([schedules, ended], [240, 2]);
  const failing: Worker = { run: () => Promise.reject(new Error("no")), end: () => (ended += 1) };
  await assert.rejects(exploreWith([failing, worker], range), /no/);
  assert.equal(ended, 4);
});

test("whatever a tally counts goes over the wire: sums, and the least of all", () => {
  const twice = newTally();
  for (const n of [7, 5]) {
    const tally = newTally();
    for (const [name, value] of Object.entries(tally))
      if (value instanceof Map) value.set("x", n);
      else if (typeof value === "number") Reflect.set(tally, name, n);
    for (const key of Object.keys(tally.least)) Reflect.set(tally.least, key, n);
    const wire: unknown = JSON.parse(JSON.stringify(tallyJson(tally)));
    assert.deepEqual(wire, tallyJson(tally));
    addTally(twice, tallyJson(tally));
  }
  addTally(twice, tallyJson(newTally()));
  for (const value of Object.values(twice))
    if (value instanceof Map) assert.deepEqual(value, new Map([["x", 12]]));
    else if (typeof value === "number") assert.equal(value, 12);
    else assert.deepEqual(value, { operations: 5, faults: 5, returns: 5 });
});
