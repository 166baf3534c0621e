import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatTable, quantile } from "./bench-table.ts";

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
