import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Published } from "../../act/effects.ts";
import { saidIn } from "./attributes.ts";
import { decodeSaying, encodeSaying } from "./saying.ts";
import { nothing_said } from "./testing.ts";

const epoch = fc.nat();
const name = fc.string({ minLength: 1, maxLength: 63 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** As JSON makes them: fast-check also has objects without a prototype. */
const plain = { noNullPrototype: true } as const;
const published: fc.Arbitrary<Published> = fc.record(
  {
    holding: fc.record(
      {
        data: fc.boolean(),
        standing: fc.constantFrom("voter", "learner", "removed", "none", "unknown"),
        soleVoter: fc.boolean(),
        removalInLog: fc.boolean(),
        tailLost: fc.boolean(),
        lineage: maybe(fc.record({ epoch, owner: name }, plain)),
        full: fc.boolean(),
        takeover: maybe(fc.record({ step: fc.constantFrom("intent", "served", "abandoned"), epoch }, plain)),
        left: fc.boolean(),
        surrendered: maybe(epoch),
        settled: fc.record({ mine: epoch, theirs: epoch }, plain),
        others: fc.string({ unit: "binary", maxLength: 40 }),
        echo: fc.string({ maxLength: 40 }),
      },
      plain,
    ),
    serving: fc.boolean(),
    running: fc.boolean(),
    leaving: fc.boolean(),
    isNew: fc.boolean(),
    boot: maybe(name),
    witness: maybe(fc.constantFrom("on", "off")),
    turn: maybe(fc.constantFrom(0, 1, 2)),
    logEnd: maybe(fc.record({ term: epoch, index: epoch }, plain)),
  },
  plain,
);

test("what is said is heard, in letters that every locale has", () => {
  fc.assert(
    fc.property(published, (said) => {
      const text = encodeSaying(said);
      assert.match(text, /^[ -~]+$/);
      assert.deepEqual(decodeSaying(text), said);
      assert.deepEqual(saidIn(`1.9 ${text}`, "1.9"), said);
    }),
  );
});

test("in another membership it says nothing", () => {
  const text = `1.9 ${encodeSaying(nothing_said)}`;
  for (const ring of ["1.91", "1.", "1", "2.9", ""]) assert.equal(saidIn(text, ring), undefined, ring);
  assert.equal(saidIn(undefined, "1.9"), undefined);
});

test("what can't be understood was not said, and what is new is passed over", () => {
  const whole: unknown = JSON.parse(encodeSaying(nothing_said));
  assert.ok(typeof whole === "object" && whole !== null);
  assert.deepEqual(decodeSaying(JSON.stringify({ ...whole, mood: "good" })), nothing_said);
  for (const text of [
    "",
    "{",
    "null",
    JSON.stringify({ ...whole, turn: 3 }),
    JSON.stringify({ ...whole, holding: {} }),
  ])
    assert.equal(decodeSaying(text), undefined, text);
  // But for these, which an older duet does not know.
  const {
    isNew: __,
    boot: ___,
    witness: ____,
    ...older
  } = { ...whole, isNew: true, boot: "5d0f7c1e9a3b", witness: "on" };
  assert.deepEqual(decodeSaying(JSON.stringify(older)), nothing_said);
  // A field that is missing is not `undefined`: nobody said so.
  const { turn: _, ...without } = { ...whole, turn: 0 };
  assert.equal(decodeSaying(JSON.stringify(without)), undefined);
});
