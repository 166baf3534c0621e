import assert from "node:assert/strict";
import { test } from "node:test";
import { Detection } from "./detection.ts";
import { match } from "./grammar.ts";
import { parseScenario } from "./parse.ts";
import { runScenario } from "./run.ts";
import type { Ask } from "./scenario.ts";
import type { ScenarioWorld, Seen } from "./world.ts";

const done: Seen = { ok: true, seen: "" };

function asked(text: string): Ask {
  const found = match(text);
  assert.ok(found?.ok === true, text);
  return found.ask;
}

const serves = asked("until node1 serves within 120 seconds");
const left_ms = (detection: Detection, now_ms: number, ask = serves): number =>
  detection.bound(ask, now_ms).ask.within_ms;

test("a limit to serve counts from when the loss was seen, and never goes below nothing", () => {
  const detection = new Detection();
  assert.equal(left_ms(detection, 5_000), 120_000, "nobody was lost");
  detection.note("cut-power", done, 10_000, 11_000);
  assert.equal(left_ms(detection, 20_000), 120_000, "nobody has waited for it");
  detection.note("until-lost", done, 11_000, 15_000);
  assert.equal(left_ms(detection, 15_000), 120_000);
  detection.note("wait", done, 15_000, 35_000);
  assert.equal(left_ms(detection, 35_000), 100_000);
  assert.equal(left_ms(detection, 500_000), 0);
});

test("it was seen when the world says so, and not before somebody was taken away", () => {
  const detection = new Detection();
  detection.note("cut-wire", done, 10_000, 11_000);
  detection.note("until-lost", { ...done, ago_ms: 3_000 }, 16_000, 16_000);
  assert.equal(left_ms(detection, 16_000), 117_000);
  detection.note("until-lost", { ...done, ago_ms: 3_600_000 }, 16_000, 16_000);
  assert.equal(left_ms(detection, 16_000), 114_000);
});

test("what was seen of one loss says nothing of the next", () => {
  for (const kind of ["hang", "cut-wire", "cut-both", "flicker", "shut-down-both", "kill-unit"] as const) {
    const detection = new Detection();
    detection.note("cut-power", done, 0, 0);
    detection.note("until-lost", done, 0, 2_000);
    detection.note("power-on", done, 2_000, 3_000);
    assert.equal(left_ms(detection, 62_000), 60_000);
    detection.note(kind, done, 62_000, 62_000);
    assert.equal(left_ms(detection, 90_000), 120_000, kind);
  }
});

test("the API is promised from the same moment", () => {
  const detection = new Detection();
  detection.note("break", done, 0, 0);
  detection.note("until-lost", done, 0, 2_000);
  const answers = asked("until the API answers within 120 seconds");
  assert.equal(left_ms(detection, 32_000, answers), 90_000);
  assert.equal(left_ms(detection, 32_000, asked("until the API answers")), 300_000);
});

test("other waits, and one whose line has no limit, count from where they stand", () => {
  const detection = new Detection();
  detection.note("cut-power", done, 0, 0);
  detection.note("until-lost", done, 0, 2_000);
  for (const text of [
    "until node1 serves",
    "until 1+1 within 90 seconds",
    "until node2 is on within 1 minute",
  ]) {
    const ask = asked(text);
    assert.deepEqual(detection.bound(ask, 50_000).ask, ask, text);
  }
});

/** Each step takes 30 s, and who is to serve does so at once, if it still has time. */
function world(): ScenarioWorld & { readonly limits_ms: readonly number[] } {
  let now_ms = 0;
  const limits_ms: number[] = [];
  const step = (): Promise<Seen> => {
    now_ms += 30_000;
    return Promise.resolve(done);
  };
  return {
    name: "sim",
    time: "virtual",
    now_ms: () => now_ms,
    roles: {},
    limits_ms,
    does: {
      "cut-power": step,
      wait: step,
      "until-lost": async () => ({ ...(await step()), ago_ms: 10_000 }),
      "until-serves": ({ within_ms }) => {
        limits_ms.push(within_ms);
        return Promise.resolve({ ok: within_ms > 0, seen: within_ms > 0 ? "" : "node1 does not serve" });
      },
    },
  };
}

test("in a story the steps in between are part of the time, and it is told how long it took", async () => {
  const play = async (waits: number) => {
    const lines = [
      "cut the power of node2",
      "until node2 is seen lost",
      ...Array.from({ length: waits }, () => "wait 1 second"),
      "until node1 serves within 120 seconds",
    ];
    const { scenario } = parseScenario(`${lines.join("\n")}\n`, "story.txt");
    assert.ok(scenario);
    const made = world();
    const { ok, steps } = await runScenario(scenario, made, { begins: () => {}, ends: () => {} });
    return [ok, made.limits_ms[0], steps.at(-1)?.seen];
  };
  assert.deepEqual(await play(0), [true, 110_000, "10.0 s after the loss was seen"]);
  assert.deepEqual(await play(2), [true, 50_000, "70.0 s after the loss was seen"]);
  assert.deepEqual(await play(4), [
    false,
    0,
    "node1 does not serve; its 120 s count from when the loss was seen",
  ]);
});
