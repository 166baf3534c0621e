import assert from "node:assert/strict";
import { test } from "node:test";
import { gapOf } from "./gap.ts";
import type { Phase, PhaseName } from "./timeline.ts";

const phase = (name: PhaseName, at_ms: number | undefined): Phase => ({
  name,
  at_ms,
  machine: "a",
  rule: undefined,
  note: undefined,
});

test("the parts of a gap are as long as the whole", () => {
  const { whole_ms, parts } = gapOf({
    phases: [
      phase("lost", -2_000),
      phase("detected", 0),
      phase("fence asked", 40),
      phase("Off confirmed", 1_300),
      phase("takeover", 1_400),
      phase("first write served", 2_900),
      phase("1+1", 20_000),
    ],
  });
  assert.equal(whole_ms, 4_900);
  assert.deepEqual(
    parts.map(({ took_ms }) => took_ms),
    [2_000, 40, 1_260, 100, 1_500],
  );
});

test("what is not known is not made up: the whole neither", () => {
  const { whole_ms, parts } = gapOf({
    phases: [
      phase("lost", undefined),
      phase("detected", 0),
      phase("fence asked", undefined),
      phase("Off confirmed", 900),
    ],
  });
  assert.equal(whole_ms, undefined);
  assert.deepEqual(
    parts.map(({ took_ms }) => took_ms),
    [undefined, undefined, 900, undefined, undefined],
  );
});
