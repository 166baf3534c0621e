import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Choices } from "./choices.ts";
import { label } from "./label.ts";

const delay = label("test.delay");
const loss = label("test.loss");
const shape = label("test.shape");

const draws = (choices: Choices) => Array.from({ length: 50 }, () => choices.fault(loss, 4, 300_000));

test("the same seed gives the same choices, another seed others", () => {
  assert.deepEqual(draws(new Choices({ seed: 5 })), draws(new Choices({ seed: 5 })));
  assert.notDeepEqual(draws(new Choices({ seed: 5 })), draws(new Choices({ seed: 6 })));
  assert.notDeepEqual(draws(new Choices({ seed: 5 })), draws(new Choices({ seed: 5 + 2 ** 40 })));
});

test("one kind of choice more or less leaves the other kinds as they were", () => {
  const plain = draws(new Choices({ seed: 9 }));
  const busy = new Choices({ seed: 9 });
  for (let i = 0; i < 30; i += 1) busy.jitter(delay, 100);
  assert.deepEqual(draws(busy), plain);
});

test("values are in range, and the odds are kept", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 2, max: 50 }), (seed, n) => {
      const choices = new Choices({ seed });
      for (let i = 0; i < 20; i += 1) {
        const fault = choices.fault(loss, n, 500_000);
        assert.ok(fault >= 0 && fault < n);
        const jitter = choices.jitter(delay, n);
        assert.ok(jitter >= 0 && jitter < n);
        assert.ok(choices.pick(shape, n) < n);
      }
    }),
  );
  const choices = new Choices({ seed: 1 });
  let hits = 0;
  for (let i = 0; i < 20_000; i += 1) hits += choices.fault(loss, 2, 100_000);
  assert.ok(hits > 1_700 && hits < 2_300, `${hits} of 20000 at 10 %`);
});

test("a run can be repeated from what was recorded, and everything else is harmless", () => {
  const first = new Choices({ seed: 3 });
  const values = draws(first);
  assert.equal(first.taken.length, values.filter((value) => value > 0).length);
  assert.deepEqual(draws(new Choices({ seed: 3, choices: first.taken })), values);
  const kept = first.taken.slice(0, 1);
  const few = draws(new Choices({ seed: 3, choices: kept }));
  assert.deepEqual(
    few.filter((value) => value > 0),
    [kept[0]?.value],
  );
  assert.equal(few[kept[0]?.nth ?? -1], kept[0]?.value);
});
