import { parseArgs } from "node:util";
import { corpus, fuzzOnce } from "../src/facts/testing-fuzz.ts";
import { Chance } from "../src/facts/testing-mutate.ts";
import { now_ms } from "../src/machine/clock.ts";

/** `npm run fuzz [-- --count N] [--seed N]`: damages WALs and reads them; ends with status 1 at the first wrong fact. */
function main(args: readonly string[]): number {
  const asked = readArguments(args);
  if (asked === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  const { count, first } = asked;
  const cases = corpus();
  const outcomes = new Map<string, number>();
  const start_ms = now_ms();
  let slowest_ms = 0;
  for (let seed = first; seed < first + count; seed += 1) {
    const before_ms = now_ms();
    try {
      const { outcome } = fuzzOnce(cases, new Chance(seed));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    } catch (error) {
      process.stderr.write(`wrong at seed ${seed}; again with: npm run fuzz -- --count 1 --seed ${seed}\n`);
      process.stderr.write(
        `${error instanceof Error ? `${error.message}\n${String(error.cause)}` : String(error)}\n`,
      );
      return 1;
    }
    slowest_ms = Math.max(slowest_ms, now_ms() - before_ms);
    const done = seed - first + 1;
    if (done % 100_000 === 0)
      process.stderr.write(`  ${done} of ${count}, ${seconds(now_ms() - start_ms)}\n`);
  }
  process.stdout.write(
    `${count} damaged WALs, seeds ${first} to ${first + count - 1}, from ${cases.length} originals\n`,
  );
  for (const [outcome, times] of [...outcomes].toSorted((a, b) => b[1] - a[1]))
    process.stdout.write(`  ${outcome.padEnd(24)}${String(times).padStart(9)}\n`);
  process.stdout.write(
    `no wrong fact, no crash, no hang: ${seconds(now_ms() - start_ms)} in all, the slowest ${slowest_ms.toFixed(0)} ms\n`,
  );
  return 0;
}

const usage = `npm run fuzz [-- --count N] [--seed N]
  --count  how many WALs are damaged and read (1000000), at least 1
  --seed   the first one's seed (1); both are whole numbers
`;

/** Undefined: they can't be understood. */
function readArguments(
  args: readonly string[],
): { readonly count: number; readonly first: number } | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { count: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
    });
    const count = Number(values.count);
    const first = Number(values.seed);
    return Number.isSafeInteger(count) && count >= 1 && Number.isSafeInteger(first)
      ? { count, first }
      : undefined;
  } catch {
    return undefined;
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

process.exitCode = main(process.argv.slice(2));
