import assert from "node:assert/strict";
import { phase_names } from "../src/record/timeline.ts";

/** Both records were found, and each phase from the loss to 1+1 has its time. */
export function assertWholeStory(failover: {
  readonly missing: readonly string[];
  readonly phases: readonly { readonly name: string; readonly at_ms?: number | undefined }[];
}): void {
  assert.deepEqual(failover.missing, []);
  assert.deepEqual(
    failover.phases.map(({ name }) => name),
    phase_names,
  );
  assert.deepEqual(
    failover.phases.filter(({ at_ms }) => at_ms === undefined),
    [],
  );
}
