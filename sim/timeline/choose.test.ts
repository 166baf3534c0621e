import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseMoments } from "./choose.ts";
import type { Level, Moment } from "./moment.ts";

const moment = (at_us: number, level: Level): Moment => ({
  at_us,
  lane: "between",
  kind: "test",
  sort: level === 0 ? "fault" : "other",
  level,
  text: `${at_us}`,
});
const levels: readonly Level[] = [0, 1, 3, 4, 0, 1, 3, 4];
const all = levels.map((level, at) => moment(at, level));
const chosen = (lines_max: number) =>
  chooseMoments(all, (kept) => kept.length <= lines_max).map(({ at_us }) => at_us);

test("what fits is told; what does not loses its beginning first, and never a fault", () => {
  assert.deepEqual(chosen(100), [0, 1, 2, 4, 5, 6]);
  assert.deepEqual(chosen(4), [0, 1, 4, 5]);
  assert.deepEqual(chosen(3), [0, 4, 5]);
  assert.deepEqual(chosen(1), [0, 4, 5]);
});
