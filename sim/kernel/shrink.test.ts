import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choice, Choices } from "./choices.ts";
import { label } from "./label.ts";
import { shrink } from "./shrink.ts";

const fault = label("shrink.fault");

/** Breaks when the 7th and the 40th fault happen, the 40th with a value of at least 3. */
function run(choices: Choices): string | undefined {
  const values = Array.from({ length: 60 }, () => choices.fault(fault, 10, 400_000));
  return (values[7] ?? 0) > 0 && (values[40] ?? 0) >= 3 ? "both" : undefined;
}

test("only the choices that matter are left, with small values", async () => {
  let seed = 0;
  let found: readonly Choice[] = [];
  for (; found.length === 0 && seed < 1_000; seed += 1) {
    const choices = new Choices({ seed });
    if (run(choices) === "both") found = choices.taken;
  }
  assert.ok(found.length > 10);
  const { schedule, runs } = await shrink({ seed: seed - 1, choices: found }, "both", (s) =>
    run(new Choices(s)),
  );
  assert.deepEqual(
    schedule.choices?.map(({ nth }) => nth),
    [7, 40],
  );
  assert.equal(schedule.choices?.[0]?.value, 1);
  assert.ok((schedule.choices?.[1]?.value ?? 0) >= 3);
  assert.ok(runs < 100, `${runs} runs`);
  assert.equal(run(new Choices(schedule)), "both");
});

test("what was left out makes room: a later choice of its kind takes its place", async () => {
  const kind = label("shrink.kind");
  const what = label("shrink.what");
  // Each of three rounds asks for the one only where the other says so: the third round's answer is the second of its kind.
  const rounds = (choices: Choices): string | undefined => {
    const said = [0, 1, 2].map(() => (choices.fault(kind, 2, 0) > 0 ? choices.fault(what, 10, 0) : 0));
    return said[2] === 5 ? "five" : undefined;
  };
  const choice = (of: { readonly name: string }, nth: number, value: number) => ({
    label: of.name,
    nth,
    value,
  });
  const choices = [choice(kind, 0, 1), choice(what, 0, 3), choice(kind, 2, 1), choice(what, 1, 5)];
  assert.equal(rounds(new Choices({ seed: 1, choices })), "five");
  const { schedule } = await shrink({ seed: 1, choices }, "five", (s) => rounds(new Choices(s)));
  assert.deepEqual(schedule.choices, [choice(kind, 2, 1), choice(what, 0, 5)]);
});

test("a violation that needs no choice at all shrinks to none", async () => {
  const { schedule } = await shrink(
    { seed: 1, choices: [{ label: "x", nth: 0, value: 1 }] },
    "always",
    () => "always",
  );
  assert.deepEqual(schedule.choices, []);
});

test("it ends after the given number of runs", async () => {
  const choices = Array.from({ length: 300 }, (_, nth) => ({ label: "x", nth, value: 2 }));
  const { runs } = await shrink({ seed: 1, choices }, "never", () => undefined, 25);
  assert.equal(runs, 25);
});
