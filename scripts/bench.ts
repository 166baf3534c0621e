import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DuetError } from "../src/base/problem.ts";
import { Progress } from "../src/machine/progress.ts";
import { type Bench, type BenchOptions, formatTable, tablesOf, withRatio } from "./bench-table.ts";

const usage = `npm run bench [-- NAME...] [--json] [--runs N] [--quick] [--only WORDS]
  NAME     a table; without one, all that take no more than some minutes
  --runs   how often each case is run (5), --quick: once, and only what takes little time; both for api, failover and return
  --only   what has these words in its name, such as "wire cut", writes or plain; for api and failover
  --json   with all that was measured
`;

/** `npm run bench [-- NAME...]`: every table, or those named. A file in scripts/bench/ is a table, or a few of them. */
async function main(args: readonly string[]): Promise<number> {
  const asked = readArguments(args);
  const all = await benchNames();
  if (asked === undefined) {
    process.stderr.write(usage);
    return 2;
  }
  const { names, json, options } = asked;
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`no table ${unknown.join(", ")}; there is ${all.join(", ")}\n`);
    return 2;
  }
  const progress = new Progress();
  const results: Record<string, unknown> = {};
  let status = 0;
  for (const name of names.length > 0 ? names : all) {
    try {
      const bench = await loadBench(name);
      if (names.length === 0 && bench.onlyByName === true) continue;
      const shown: unknown[] = [];
      for await (const table of tablesOf(bench.measure(progress, options))) {
        shown.push({ ...table, rows: withRatio(table) });
        results[name] = shown.length === 1 ? shown[0] : shown;
        if (!json) process.stdout.write(`\n${name}: ${formatTable(table)}\n`);
      }
    } catch (error) {
      // A table that can't be made here leaves the others as they are.
      if (!(error instanceof DuetError)) throw error;
      process.stderr.write(`${name}: ${error.message}\n`);
      status = error.status;
    }
  }
  if (json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  return status;
}

interface Asked {
  readonly names: readonly string[];
  readonly json: boolean;
  readonly options: BenchOptions;
}

const runs_default = 5;
const runs_max = 100;

/** Undefined: they can't be understood. */
function readArguments(args: readonly string[]): Asked | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "boolean" },
        quick: { type: "boolean" },
        runs: { type: "string" },
        only: { type: "string" },
      },
    });
    const only = values.only === undefined ? {} : { only: values.only };
    const quick = values.quick === true;
    const runs = values.runs === undefined ? (quick ? 1 : runs_default) : Number(values.runs);
    if (!Number.isInteger(runs) || runs < 1 || runs > runs_max) return undefined;
    return { names: positionals, json: values.json === true, options: { quick, runs, ...only } };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

const folder = join(import.meta.dirname, "bench");

async function benchNames(): Promise<readonly string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => file.slice(0, -".ts".length))
    .toSorted();
}

async function loadBench(name: string): Promise<Bench> {
  const module: unknown = await import(join(folder, `${name}.ts`));
  if (!isBench(module)) throw new Error(`scripts/bench/${name}.ts must export about and measure`);
  return module;
}

const isBench = (module: unknown): module is Bench =>
  typeof module === "object" && module !== null && "about" in module && "measure" in module;

process.exitCode = await main(process.argv.slice(2));
