import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type BenchTable, formatTable, type Measured, quantile, tablesOf } from "./bench-table.ts";

test("a table is aligned and has its ratio", () => {
  const text = formatTable({
    title: "start-up",
    columns: ["min_ms", "p50_ms"],
    rows: [
      { name: "shell", values: { min_ms: 4, p50_ms: 5 } },
      { name: "duet", values: { min_ms: 25.55, p50_ms: 112.4 } },
      { name: "none", values: { min_ms: "-" } },
    ],
    ratio: { of: "p50_ms", to: "shell" },
    notes: ["a note"],
  });
  assert.deepEqual(text.split("\n"), [
    "start-up",
    "         min ms  p50 ms   ratio",
    "  shell     4.0     5.0   1.00×",
    "  duet     25.6     112  22.48×",
    "  none        -               -",
    "  a note",
    "",
  ]);
});

test("a quantile is one of the values, and at least that share is not above it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true }), { minLength: 1 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, q) => {
        const value = quantile(values, q);
        assert.ok(values.includes(value));
        assert.ok(values.filter((each) => each <= value).length >= q * values.length - 1e-9);
      },
    ),
  );
});

test("tables come at the end, one or all, or one by one; then those before a failure are there", async () => {
  const table = (title: string): BenchTable => ({ title, columns: [], rows: [] });
  const [first, second] = [table("first"), table("second")];
  const seen = async (measured: Measured) => {
    const titles: string[] = [];
    try {
      for await (const { title } of tablesOf(measured)) titles.push(title);
    } catch (error) {
      titles.push(String(error));
    }
    return titles;
  };
  async function* breaksOff(): AsyncGenerator<BenchTable> {
    yield first;
    throw new Error("no lab");
  }
  assert.deepEqual(await seen(Promise.resolve(first)), ["first"]);
  assert.deepEqual(await seen(Promise.resolve([first, second])), ["first", "second"]);
  assert.deepEqual(await seen(breaksOff()), ["first", "Error: no lab"]);
});
