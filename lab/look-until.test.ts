import assert from "node:assert/strict";
import { test } from "node:test";
import { lookUntil } from "./look-until.ts";

/** Something that is so from a moment on, and looks that take their time; each sees what is so at its end. */
async function play(so_ms: number, look_ms: number, within_ms = 120_000) {
  let now_ms = 5_000;
  const begun_ms = now_ms;
  const pass = (ms: number) => {
    now_ms += ms;
    return Promise.resolve();
  };
  const looked = await lookUntil(
    async () => {
      await pass(look_ms);
      return now_ms - begun_ms >= so_ms;
    },
    { within_ms, pause_ms: 300 },
    { now_ms: () => now_ms, sleep: pass },
  );
  return { ...looked, ended_ms: now_ms - begun_ms };
}

test("what is so in time is seen in time, the last moment included", async () => {
  assert.deepEqual(await play(0, 50), { inTime: true, took_ms: 50, ended_ms: 50 });
  assert.deepEqual(await play(60_000, 100), { inTime: true, took_ms: 60_100, ended_ms: 60_100 });
  assert.deepEqual(await play(120_000, 120_000), { inTime: true, took_ms: 120_000, ended_ms: 120_000 });
});

test("a look that began in time and ended too late has seen it too late", async () => {
  assert.deepEqual(await play(120_500, 30_000), { inTime: false, took_ms: 120_900, ended_ms: 120_900 });
  assert.deepEqual(await play(121_000, 30_000), { inTime: false, took_ms: undefined, ended_ms: 120_900 });
  assert.deepEqual(await play(0, 150_000), { inTime: false, took_ms: 150_000, ended_ms: 150_000 });
});

test("what never is so is looked at to the end, and not for ever", async () => {
  const { inTime, took_ms, ended_ms } = await play(Number.POSITIVE_INFINITY, 100);
  assert.deepEqual([inTime, took_ms], [false, undefined]);
  assert.ok(ended_ms >= 120_000 && ended_ms <= 120_400, String(ended_ms));
});
