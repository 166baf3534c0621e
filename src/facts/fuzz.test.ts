import assert from "node:assert/strict";
import { test } from "node:test";
import { corpus, fuzzOnce } from "./testing-fuzz.ts";
import { Chance } from "./testing-mutate.ts";

test("20000 damaged WALs give no wrong fact", () => {
  const cases = corpus();
  const seen = new Map<string, number>();
  for (let seed = 1; seed <= 20_000; seed += 1) {
    const { outcome } = fuzzOnce(cases, new Chance(seed));
    seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
  }
  // All outcomes were met: a corpus that only ever gives errors would prove nothing.
  for (const outcome of [
    "facts",
    "facts, torn",
    "DUET-E-WAL-DAMAGED",
    "DUET-E-WAL-FOREIGN",
    "DUET-E-WAL-FILES",
    "DUET-E-WAL-TRUNCATED",
    "DUET-E-WAL-LOG",
  ])
    assert.ok((seen.get(outcome) ?? 0) > 0, `${outcome} was never met: ${JSON.stringify([...seen])}`);
});
