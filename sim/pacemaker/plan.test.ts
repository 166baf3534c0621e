import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pacemakerPolicy } from "./agent.ts";
import { type Belief, planFor } from "./plan.ts";

const belief = fc.record<Belief>({
  online: fc.boolean(),
  unclean: fc.boolean(),
  role: fc.constantFrom("unknown", "stopped", "started", "promoted"),
  failed: fc.boolean(),
  failures: fc.nat(6),
  failed_us: fc.constantFrom(0, 900_000_000),
  standby: fc.boolean(),
  score: fc.constantFrom(undefined, -1, 0, 10),
});

test("nobody is fenced, started or promoted without quorum, and nothing runs on a machine that is away", () => {
  fc.assert(
    fc.property(belief, belief, fc.boolean(), (a, b, quorate) => {
      const plan = planFor([a, b], quorate, pacemakerPolicy, 1_000_000_000);
      if (!quorate) assert.deepEqual([plan.fence, plan.start, plan.promote], [[], [], []]);
      for (const machine of [...plan.start, ...plan.promote, ...plan.stop, ...plan.probe])
        assert.equal([a, b][machine]?.online, true);
      for (const machine of plan.promote) assert.ok(([a, b][machine]?.score ?? -1) >= 0);
      for (const machine of plan.start) assert.equal([a, b][machine]?.standby, false);
      if (plan.probe.length > 0) assert.deepEqual([plan.fence, plan.start, plan.stop], [[], [], []]);
    }),
  );
});

test("a resource that failed too often waits for its failures to be forgotten", () => {
  const tired: Belief = {
    online: true,
    unclean: false,
    role: "stopped",
    failed: false,
    failures: 5,
    failed_us: 1_000,
    standby: false,
    score: 1,
  };
  const at = (now_us: number) =>
    planFor([tired, { ...tired, online: false }], true, pacemakerPolicy, now_us).start;
  assert.deepEqual(at(2_000), []);
  assert.deepEqual(at(1_000 + pacemakerPolicy.failure_timeout_us), [0]);
});
