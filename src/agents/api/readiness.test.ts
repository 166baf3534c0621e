import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { addressPolicy, addressScores } from "../../render/policy.ts";
import {
  afterLook,
  type Answer,
  asksReadyz,
  calm_ms,
  hold_ms,
  lost_ms,
  nothing_seen,
  patience_ms,
  type Readiness,
  rest_ms,
  standingOf,
  trial_ms,
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

/** How it stands, each time that this changes. */
function stands(story: Parameters<typeof play>[0], from: Readiness = steady) {
  const told: string[] = [];
  let seen = from;
  let at_ms = 1_000_000;
  for (const [answer, for_ms] of story)
    for (const end_ms = at_ms + for_ms; at_ms < end_ms; at_ms += 50) {
      const next = afterLook(seen, answer, at_ms, detection);
      if (standingOf(next) !== standingOf(seen)) told.push(`${standingOf(next)} ${at_ms - 1_000_000}`);
      seen = next;
    }
  return told;
}
const twice: readonly (readonly [Answer, number])[] = [
  ["gone", 1_000],
  ["ready", 9_000],
  ["gone", 2_000],
];
const first = ["lost 100", "ready 1300", "lost 10100"];

test("one that ended and is back is on probation at once, and trusted when it was ready for long enough", () => {
  const told = stands([...twice, ["ready", 10_000]]);
  assert.deepEqual(told, [...first, "probation 12300", "ready 14000"]);
});

test("while it starts it stays lost; and a single look at it that found nobody ends no probation", () => {
  const told = stands([...twice, ["unready", 3_000], ["ready", 1_000], ["gone", 50], ["ready", 10_000]]);
  assert.deepEqual(told, [...first, "probation 15300", "ready 18050"]);
});

test("one that stops answering and lives is doubtful, and never on probation: its clients may still have it", () => {
  for (const answer of ["unready", "silent"] as const) {
    const falls: readonly (readonly [Answer, number])[] = [
      [answer, 2_000],
      ["ready", 1_000],
    ];
    for (const each of stands([...falls, ...falls, ["ready", 5_000]]))
      assert.match(each, /^(ready|doubtful) /);
  }
  assert.deepEqual(stands([["etcd", 60_000]]), ["doubtful 3000"]);
});

test("one that does not move for a while is lost, as if it had ended", () => {
  assert.deepEqual(stands([["silent", 60_000]]), ["doubtful 0", `lost ${lost_ms}`]);
  const told = stands([...twice, ["ready", 5_000], ["silent", 6_000], ["ready", 1_000]]);
  assert.deepEqual(told.slice(-3), ["doubtful 17000", "lost 22000", "probation 23300"]);
});

const server = fc.array(
  fc.record({
    up_ms: fc.integer({ min: 500, max: 40_000 }),
    down_ms: fc.integer({ min: 10_000, max: 30_000 }),
  }),
  { minLength: 12, maxLength: 12 },
);

test("two that crash again and again, as a kubelet starts them: the address is where one answers, and moves no oftener than they begin", () => {
  const step_ms = 50;
  const stickiness = Number(addressPolicy["resource-stickiness"].value);
  const score = (seen: Readiness) => addressScores[standingOf(seen) ?? "lost"].value;
  fc.assert(
    fc.property(server, server, (...lives) => {
      const answers = lives.map((life) =>
        life.flatMap(({ up_ms, down_ms }) => [
          ...Array.from({ length: up_ms / step_ms }, (): Answer => "ready"),
          ...Array.from({ length: down_ms / step_ms }, (): Answer => "gone"),
        ]),
      );
      const seen = [nothing_seen, nothing_seen];
      let holder = 0;
      let moves = 0;
      let useless_ms = 0;
      for (let at = 0; at < Math.min(...answers.map(({ length }) => length)); at++) {
        const now = answers.map((each) => each[at] ?? "gone");
        for (const index of [0, 1])
          seen[index] = afterLook(seen[index] ?? steady, now[index] ?? "gone", at * step_ms, detection);
        const scores = seen.map(score);
        if ((scores[1 - holder] ?? 0) > (scores[holder] ?? 0) + stickiness) {
          holder = 1 - holder;
          moves++;
        }
        useless_ms = now[holder] === "gone" && now[1 - holder] === "ready" ? useless_ms + step_ms : 0;
        assert.ok(useless_ms < 500, `${useless_ms} ms at ${at * step_ms}`);
      }
      assert.ok(moves <= 24, `${moves}`);
    }),
    { numRuns: 50 },
  );
});

test("whatever the looks show, there is no more than one probation in ten seconds", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ answer: fc.constantFrom(...answers), after_ms: fc.integer({ min: 10, max: 1_000 }) }),
        {
          minLength: 200,
          maxLength: 600,
        },
      ),
      (looks) => {
        let now_ms = 0;
        let seen = nothing_seen;
        let last_ms = Number.NEGATIVE_INFINITY;
        for (const { answer, after_ms } of looks) {
          now_ms += after_ms;
          const next = afterLook(seen, answer, now_ms, detection);
          assert.ok(!next.probation || (next.ready === false && next.lost));
          if (next.probation && !seen.probation) {
            assert.ok(now_ms - last_ms >= trial_ms);
            last_ms = now_ms;
          }
          seen = next;
        }
      },
    ),
    { numRuns: 100 },
  );
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
