import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { admit, type Bucket, burst, nextToken_ms, refill_ms, refilled } from "./rate.ts";

test("a few go at once, then one in ten minutes, with what was left out", () => {
  let bucket: Bucket | undefined;
  const at = (now_ms: number, replaces: boolean) => {
    const admission = admit(bucket, now_ms, replaces);
    ({ bucket } = admission);
    return admission.now ? admission.left_out : "held";
  };
  assert.deepEqual([at(0, false), at(1, false), at(2, false)], [0, 0, 0]);
  assert.deepEqual([at(3, false), at(4, true), at(5, true)], ["held", "held", "held"]);
  assert.equal(at(refill_ms, false), 2);
  assert.equal(at(refill_ms + 1, false), "held");
  assert.equal(at(2 * refill_ms, false), 0);
});

test("however events come, no more go than the burst and what time has added, and none is forgotten", () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: refill_ms }), { maxLength: 200 }), (pauses) => {
      let bucket: Bucket | undefined;
      let [now_ms, sent, told, held] = [0, 0, 0, 0];
      for (const pause_ms of pauses) {
        now_ms += pause_ms;
        const admission = admit(bucket, now_ms, held === 1);
        ({ bucket } = admission);
        if (admission.now) [sent, told, held] = [sent + 1, told + admission.left_out, 0];
        else held = 1;
        assert.ok(sent <= burst + now_ms / refill_ms);
      }
      assert.equal(sent + told + held + (bucket?.left_out ?? 0), pauses.length);
    }),
  );
});

test("a clock that is set back adds nothing and is waited for no longer than ever", () => {
  const empty: Bucket = { tokens: 0, filled_ms: 1_000_000_000, left_out: 0 };
  const after = refilled(empty, 5_000);
  assert.equal(after.tokens, 0);
  assert.equal(nextToken_ms(after, 5_000), 5_000 + refill_ms);
});
