import type { Progress } from "../src/machine/progress.ts";

/** A file scripts/bench/NAME.ts exports `about` and `measure`; that is all it takes to add a table. */
export interface Bench {
  readonly about: string;
  readonly measure: (progress: Progress, options: BenchOptions) => Measured;
  /** It takes long: only for who asks for it by its name. */
  readonly onlyByName?: boolean;
}

/** All tables at the end, or one by one: what was measured is shown then, whatever becomes of the rest. */
export type Measured = Promise<BenchTable | readonly BenchTable[]> | AsyncIterable<BenchTable>;

export async function* tablesOf(measured: Measured): AsyncGenerator<BenchTable, void> {
  if (Symbol.asyncIterator in measured) {
    yield* measured;
    return;
  }
  const tables = await measured;
  yield* "title" in tables ? [tables] : tables;
}

/** How much is measured, for those that can do with more or less. */
export interface BenchOptions {
  readonly quick: boolean;
  readonly runs: number;
  /** Only what has this in its name. */
  readonly only?: string;
}

export interface BenchTable {
  readonly title: string;
  /** Names of the values, in the order of the columns. The unit is last: `p50_ms`, `memory_mib`. */
  readonly columns: readonly string[];
  readonly rows: readonly BenchRow[];
  /** Adds a column: each row's value against that of one row. */
  readonly ratio?: { readonly of: string; readonly to: string };
  readonly notes?: readonly string[];
  /** All that was measured, for --json alone. */
  readonly raw?: unknown;
}

export interface BenchRow {
  readonly name: string;
  readonly values: Readonly<Record<string, number | string>>;
}

/** The value below which `q` of all lie, by the nearest rank. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

/** The rows with the ratio filled in. */
export function withRatio(table: BenchTable): readonly BenchRow[] {
  const { ratio } = table;
  if (ratio === undefined) return table.rows;
  const base = Number(table.rows.find((row) => row.name === ratio.to)?.values[ratio.of]);
  return table.rows.map((row) => {
    const against = Number(row.values[ratio.of]) / base;
    return {
      name: row.name,
      values: { ...row.values, ratio: Number.isFinite(against) ? `${against.toFixed(2)}×` : "-" },
    };
  });
}

/** Names to the left, figures to the right. */
export function formatTable(table: BenchTable): string {
  const columns = [...table.columns, ...(table.ratio === undefined ? [] : ["ratio"])];
  const cells = [
    ["", ...columns.map((column) => column.replace(/_([a-z]+)$/, " $1"))],
    ...withRatio(table).map((row) => [row.name, ...columns.map((column) => format(row.values[column]))]),
  ];
  const widths = ["", ...columns].map((_, n) => Math.max(...cells.map((row) => row[n]?.length ?? 0)));
  const lines = cells.map((row) =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join("  "),
  );
  return [
    table.title,
    ...lines.map((line) => `  ${line}`.trimEnd()),
    ...(table.notes ?? []).map((n) => `  ${n}`),
  ]
    .join("\n")
    .concat("\n");
}

function format(value: number | string | undefined): string {
  if (typeof value !== "number") return value ?? "";
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
