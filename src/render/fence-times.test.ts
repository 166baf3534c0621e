import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { windowOf_ms } from "../base/turn.ts";
import { type Turn, untilTurn_ms } from "../decide/race.ts";
import { timeout_bounds } from "../site/defaults.ts";
import { detectionOf } from "./corosync.ts";
import { type FenceTimes, fenceBound_ms, turnLength_ms } from "./fence-times.ts";

const at = "2026-01-01T00:00:00.000Z";
const calls = { bmc: "https://203.0.113.11", calls: 15, call_ms_median: 20, call_ms_worst: 80, read_at: at };
const measured = (worst_ms: number): FenceTimes => ({ ...calls, off: { worst_ms, at } });
const timeouts = { fence_ms: 60_000, token_ms: 1_500 };

test("what was not switched off counts with what is configured; calls alone tell nothing of an Off", () => {
  assert.equal(fenceBound_ms(timeouts, undefined), 64_500);
  assert.equal(fenceBound_ms(timeouts, calls), 64_500);
  assert.equal(turnLength_ms(timeouts, [undefined, undefined]), 74_500);
  assert.equal(turnLength_ms(timeouts, [measured(1_200), undefined]), 74_500, "both are needed");
});

test("what was measured counts with room, and never with less than a busy machine needs to begin", () => {
  assert.equal(turnLength_ms(timeouts, [measured(1_200), measured(900)]), 10_000);
  assert.equal(turnLength_ms(timeouts, [measured(6_000), measured(1_000)]), 21_000);
  assert.equal(
    turnLength_ms({ ...timeouts, fence_ms: 5_000 }, [measured(40_000), measured(1_000)]),
    72_000,
    "a fence that is slower than configured is not made shorter by that",
  );
});

test("in turns of that length the one who commands last has the other off before the other's turn", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 100, max: 90_000 }),
      fc.integer({ min: 100, max: 90_000 }),
      fc.constantFrom<[Turn, Turn]>([0, 1], [1, 2], [2, 0], [0, 2], [1, 0], [2, 1]),
      fc.nat({ max: 2_000_000 }),
      (off1_ms, off2_ms, [mine, theirs], since_ms) => {
        const turn_ms = turnLength_ms(timeouts, [measured(off1_ms), measured(off2_ms)]);
        assert.equal(
          turn_ms,
          turnLength_ms(timeouts, [measured(off2_ms), measured(off1_ms)]),
          "the same on both",
        );
        if (untilTurn_ms(since_ms, mine, turn_ms) > 0) return;
        const peerBegins_ms = untilTurn_ms(since_ms, theirs, turn_ms);
        assert.ok(peerBegins_ms > 1.5 * Math.max(off1_ms, off2_ms));
      },
    ),
  );
});

test("a command a quarter of the window late, of who saw the loss last, still has the other off in time", () => {
  fc.assert(
    fc.property(
      fc.record({
        fence_ms: fc.integer({ min: timeout_bounds.fence.min_ms, max: timeout_bounds.fence.max_ms }),
        token_ms: fc.integer({ min: timeout_bounds.token.min_ms, max: timeout_bounds.token.max_ms }),
      }),
      fc.option(fc.integer({ min: 100, max: 90_000 }), { nil: undefined }),
      (each, off_ms) => {
        const times = off_ms === undefined ? undefined : measured(off_ms);
        const turn_ms = turnLength_ms(each, [times, times]);
        const { token_ms, consensus_ms } = detectionOf({ timeouts: each });
        const sent_ms = token_ms + consensus_ms + windowOf_ms(turn_ms) * 1.25;
        assert.ok(sent_ms + (off_ms ?? each.fence_ms) <= turn_ms);
      },
    ),
  );
});
