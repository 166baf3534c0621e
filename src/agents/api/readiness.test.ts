import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  afterLook,
  type Answer,
  asksReadyz,
  calm_ms,
  hold_ms,
  nothing_seen,
  patience_ms,
  type Readiness,
  rest_ms,
} from "./readiness.ts";

const detection = { detection_ms: 2_000 };
const bad = ["gone", "silent", "unready", "etcd"] as const;
const answers: readonly Answer[] = ["ready", ...bad];

/** Looks each `every_ms` at an API server that does this for so long. */
function play(story: readonly (readonly [Answer, number])[], from: Readiness = nothing_seen, every_ms = 50) {
  let now_ms = 1_000_000;
  let seen = from;
  const changes: { readonly at_ms: number; readonly ready: boolean | undefined }[] = [];
  for (const [answer, for_ms] of story)
    for (const end_ms = now_ms + for_ms; now_ms < end_ms; now_ms += every_ms) {
      const next = afterLook(seen, answer, now_ms, detection);
      if (next.ready !== seen.ready) changes.push({ at_ms: now_ms - 1_000_000, ready: next.ready });
      seen = next;
    }
  return { seen, changes };
}

const steady = play([["ready", calm_ms]]).seen;

test("an API server that answers counts, and one that has never answered does not", () => {
  assert.deepEqual(play([["ready", 10_000]]).changes, [{ at_ms: 300, ready: true }]);
  for (const each of bad) {
    const { changes, seen } = play([[each, 60_000]]);
    assert.deepEqual(changes, [{ at_ms: patience_ms(each, detection), ready: false }]);
    assert.equal(seen.falls, 0, "who never stood has not fallen");
  }
});

test("nothing is said of it before it was looked at for long enough", () => {
  for (const each of ["ready", "gone", "unready", "etcd"] as const)
    assert.equal(afterLook(nothing_seen, each, 5_000, detection).ready, undefined);
});

test("one that stops answering has fallen within a second, whatever it does instead", () => {
  for (const each of ["gone", "silent", "unready"] as const) {
    const [fall, ...more] = play([[each, 5_000]], steady).changes;
    assert.ok(fall?.ready === false && fall.at_ms < 500, `${each}: ${fall?.at_ms}`);
    assert.deepEqual(more, []);
  }
});

test("one whose etcd stands still falls only after a lost peer would be known", () => {
  const [fall] = play([["etcd", 10_000]], steady).changes;
  assert.ok(fall !== undefined && fall.at_ms > detection.detection_ms);
  assert.deepEqual(play([["etcd", detection.detection_ms]], steady).changes, []);
});

test("a single look that found nobody is no fall", () => {
  for (const each of ["gone", "unready", "etcd"] as const)
    assert.deepEqual(
      play(
        [
          [each, 50],
          ["ready", 60_000],
        ],
        steady,
      ).changes,
      [],
    );
});

test("the first fall is forgiven at once, and each one more holds it longer", () => {
  const holds = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(hold_ms);
  assert.equal(holds[0], holds[1]);
  for (let falls = 2; falls <= 6; falls++) assert.equal(holds[falls], 2 ** (falls - 1) * 1_000);
  assert.equal(holds[7], holds[6]);
  assert.equal(hold_ms(1e9), holds[6]);
  const flap: readonly (readonly [Answer, number])[] = [
    ["gone", 1_000],
    ["ready", 3_000],
  ];
  const { changes } = play([...flap, ...flap, ...flap, ["ready", 60_000]], steady);
  const rises = changes.filter(({ ready }) => ready).map(({ at_ms }) => at_ms);
  assert.deepEqual(rises, [1_300, 4_000 + 1_000 + 2_000, 8_000 + 1_000 + 4_000]);
});

test("what was long ago is forgotten", () => {
  const fallen = play(
    [
      ["gone", 1_000],
      ["ready", 40_000],
      ["gone", 1_000],
      ["ready", 40_000],
    ],
    steady,
  ).seen;
  assert.equal(fallen.falls, 2);
  const soon = play([["gone", 1_000]], fallen).seen;
  assert.equal(soon.falls, 3);
  const [calm, later] = [fallen.risen_ms + calm_ms, fallen.risen_ms + calm_ms + 1_000];
  const late = afterLook(afterLook(fallen, "gone", calm, detection), "gone", later, detection);
  assert.equal(late.falls, 1);
});

const look = fc.record({
  answer: fc.constantFrom(...answers),
  after_ms: fc.integer({ min: 1, max: 3_000 }),
});

test("whatever it does: it changes only to what was seen for long enough, and a change costs what it must", () => {
  fc.assert(
    fc.property(fc.array(look, { maxLength: 200 }), (looks) => {
      let now_ms = 0;
      let seen = nothing_seen;
      /** Since when every look showed the same side. */
      let since_ms = 0;
      let was: boolean | undefined;
      for (const { answer, after_ms } of looks) {
        now_ms += after_ms;
        const good = answer === "ready";
        if (good !== was) since_ms = now_ms;
        was = good;
        const next = afterLook(seen, answer, now_ms, detection);
        if (next.ready !== seen.ready) {
          assert.equal(next.ready, good);
          const least_ms = answer === "ready" ? hold_ms(seen.falls) : patience_ms(answer, detection);
          assert.ok(now_ms - since_ms >= least_ms);
        } else if (good !== seen.ready) {
          const most_ms = answer === "ready" ? hold_ms(seen.falls) : patience_ms(answer, detection);
          assert.ok(now_ms - since_ms < most_ms, "it should have changed");
        }
        if (!good || next.ready === seen.ready) assert.equal(next.falls - seen.falls > 1, false);
        seen = next;
      }
    }),
    { numRuns: 500 },
  );
});

/** 2 rises that cost nothing more, then 2, 4, 8, 16 s, and from there on each 32 s. */
const rises_max = (span_ms: number): number => 7 + Math.ceil(Math.max(0, span_ms - 30_000) / 32_000);

test("an API server that comes and goes as it likes gets the address only so often", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ answer: fc.constantFrom(...answers), after_ms: fc.integer({ min: 10, max: 2_500 }) }),
        {
          minLength: 400,
          maxLength: 800,
        },
      ),
      (looks) => {
        let now_ms = 0;
        let seen = nothing_seen;
        let rises = 0;
        for (const { answer, after_ms } of looks) {
          now_ms += after_ms;
          const next = afterLook(seen, answer, now_ms, detection);
          if (next.ready === true && seen.ready !== true) rises++;
          seen = next;
        }
        assert.ok(rises <= rises_max(now_ms), `${rises} in ${now_ms} ms`);
      },
    ),
    { numRuns: 100 },
  );
  // The worst there is: ready for exactly as long as it takes, and gone at once.
  let now_ms = 0;
  let seen = nothing_seen;
  let rises = 0;
  while (now_ms < calm_ms) {
    const next = afterLook(seen, seen.ready === true ? "silent" : "ready", now_ms, detection);
    if (next.ready === true && seen.ready !== true) rises++;
    seen = next;
    now_ms += 10;
  }
  assert.ok(rises > 5 && rises <= rises_max(calm_ms), `${rises} in ${calm_ms} ms`);
});

test("it is asked seldom while all is as it was, and often in doubt", () => {
  const doubt = afterLook(steady, "gone", steady.risen_ms + 1e6, detection);
  assert.equal(doubt.ready, true);
  const down = play([["gone", 5_000]]).seen;
  assert.deepEqual([steady, down, doubt, nothing_seen].map(rest_ms), [200, 200, 100, 100]);
  assert.deepEqual(
    [999, 1_000].map((ms) => asksReadyz(steady, ms)),
    [false, true],
  );
  for (const each of [doubt, nothing_seen]) assert.equal(asksReadyz(each, 0), true);
});
