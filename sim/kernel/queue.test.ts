import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cancel, Queue } from "./queue.ts";

test("events come by time, and those of one moment in the order of asking", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 200 }), (times) => {
      const queue = new Queue();
      for (const at_us of times) queue.add(at_us, () => undefined);
      const taken: { at_us: number; order: number }[] = [];
      for (let event = queue.take(); event !== undefined; event = queue.take()) taken.push(event);
      assert.equal(taken.length, times.length);
      const sorted = taken.toSorted((a, b) => a.at_us - b.at_us || a.order - b.order);
      assert.deepEqual(taken, sorted);
    }),
  );
});

test("a cancelled event does nothing", () => {
  const queue = new Queue();
  let ran = 0;
  cancel(queue.add(1, () => (ran += 1)));
  queue.add(2, () => (ran += 10));
  queue.take()?.run();
  queue.take()?.run();
  assert.equal(ran, 10);
});
