import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";
import { checkout } from "./tree.ts";
import "./pulse.ts";

/** One call of node's test runner. */
export interface TestRun {
  readonly files: readonly string[];
  /** true: as many files at a time as there are cores. */
  readonly concurrency: true | 1 | 2;
  /** A file that takes longer has hung: it is ended and counts as failed. */
  readonly file_ms_max: number;
  /** What it waits for; false: it is left out. */
  readonly ready?: Promise<boolean>;
}

/** The counts in node's own words and order, as its reporter prints them last. */
export interface Counts {
  tests: number;
  suites: number;
  pass: number;
  fail: number;
  cancelled: number;
  skipped: number;
  todo: number;
  duration_ms: number;
}

export async function runTests(
  runs: readonly TestRun[],
  out: NodeJS.WritableStream = process.stdout,
): Promise<Counts> {
  const counts = noCounts();
  const events = runs.map((each) => () => start(each));
  await pipeline(Readable.from(merged(events, counts)), new spec(), out, { end: false });
  return counts;
}

export const noCounts = (): Counts => ({
  tests: 0,
  suites: 0,
  pass: 0,
  fail: 0,
  cancelled: 0,
  skipped: 0,
  todo: 0,
  duration_ms: 0,
});

function start({ files, concurrency, file_ms_max, ready }: TestRun): AsyncIterable<TestEvent> {
  const begin = () =>
    run({
      files: files.map((path) => join(checkout, path)),
      concurrency,
      timeout: file_ms_max,
      execArgv: ["--import", join(checkout, "scripts", "pulse.ts")],
    });
  return ready === undefined ? begin() : whenReady(ready, begin)();
}

/** Begins when it may, or shows nothing. */
export function whenReady(
  ready: Promise<boolean>,
  begin: () => AsyncIterable<TestEvent>,
): () => AsyncGenerator<TestEvent> {
  return async function* waiting() {
    if (await ready) yield* begin();
  };
}

/**
 * One run after the other, shown as one: one list of failures and one summary, since a reader, or a CI that looks for
 * `tests N`, should not have to add them up. Fills `counts` with the sums.
 */
export async function* merged(
  runs: readonly (() => AsyncIterable<TestEvent>)[],
  counts: Counts,
): AsyncGenerator<TestEvent> {
  for (const begin of runs) {
    for await (const event of begin()) {
      // The runner's own summary: its counts come last, for all runs together.
      if (event.type === "test:summary" && event.data.file === undefined) continue;
      if (event.type === "test:diagnostic" && event.data.nesting === 0 && add(event.data.message, counts))
        continue;
      yield event;
    }
  }
  for (const [name, count] of Object.entries(counts)) {
    yield { type: "test:diagnostic", data: { nesting: 0, message: `${name} ${count}`, level: "info" } };
  }
}

/** Takes a line such as `pass 12`; false if the message is another one. */
function add(message: string, counts: Counts): boolean {
  const [name = "", count, ...rest] = message.split(" ");
  if (!isCount(name, counts) || rest.length > 0 || !Number.isFinite(Number(count))) return false;
  counts[name] += Number(count);
  return true;
}

const isCount = (name: string, counts: Counts): name is keyof Counts => Object.hasOwn(counts, name);
