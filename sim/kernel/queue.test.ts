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

test("a cancelled event is never taken, and nobody waits for it", () => {
  const queue = new Queue();
  cancel(queue.add(1, () => undefined));
  const kept = queue.add(2, () => undefined);
  cancel(queue.add(3, () => undefined));
  assert.equal(queue.take(1), undefined);
  assert.equal(queue.take(2), kept);
  assert.equal(queue.take(), undefined);
  assert.equal(queue.size, 0);
});
