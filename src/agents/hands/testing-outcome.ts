import assert from "node:assert/strict";
import type { Outcome } from "../../act/effects.ts";

/** For tests: what came of it, which has to be good. */
export async function valueOf<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const found = await outcome;
  assert.ok(found.ok, JSON.stringify(found));
  return found.value;
}

/** For tests: why nothing came of it. */
export async function failureOf<T>(outcome: Promise<Outcome<T>>): Promise<string> {
  const found = await outcome;
  assert.ok(!found.ok);
  return `${found.failure.kind}: ${found.failure.said}`;
}
