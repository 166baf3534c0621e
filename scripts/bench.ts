import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DuetError } from "../src/base/problem.ts";
import { Progress } from "../src/machine/progress.ts";
import { type Bench, formatTable, withRatio } from "./bench-table.ts";

/** `npm run bench [-- NAME...] [--json]`: every table, or those named. A file in scripts/bench/ is a table. */
async function main(args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  const asked = args.filter((arg) => arg !== "--json");
  const all = await benchNames();
  const unknown = asked.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`no table ${unknown.join(", ")}; there is ${all.join(", ")}\n`);
    return 2;
  }
  const progress = new Progress();
  const results: Record<string, unknown> = {};
  let status = 0;
  for (const name of asked.length > 0 ? asked : all) {
    try {
      const bench = await loadBench(name);
      const table = await bench.measure(progress);
      results[name] = { ...table, rows: withRatio(table) };
      if (!json) process.stdout.write(`\n${name}: ${formatTable(table)}\n`);
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
