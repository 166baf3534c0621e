import assert from "node:assert/strict";
import { test } from "node:test";
import { History, type Served } from "./history.ts";
import { Kernel } from "./kernel/kernel.ts";

function world() {
  const kernel = new Kernel({ seed: 1 });
  const history = new History(kernel);
  const side = (name: string, values: readonly number[], holders: readonly number[] = [0, 1]): Served => ({
    by: { name },
    name,
    values,
    raised: 0,
    holders,
  });
  return { kernel, history, side };
}

test("two sides that grow the same store are one", () => {
  const { kernel, history, side } = world();
  const values: number[] = [];
  const a = side("a", values);
  const b = side("b", values);
  for (let i = 0; i < 10; i += 1) {
    const write = history.begin("write", i % 2);
    values.push(write.id);
    history.answer(write, values.length, i % 2 === 0 ? a : b, write.id);
    const read = history.begin("read", i % 2);
    history.answer(read, values.length, i % 3 === 0 ? a : b, write.id);
  }
  assert.equal(kernel.violation, undefined);
  assert.equal(history.acknowledged, 10);
  assert.deepEqual(history.missing(values.slice(0, -1)), [values.at(-1)]);
});

test("different data at the same revision is seen, also where only reads show it", () => {
  const { kernel, history, side } = world();
  const one = history.begin("write", 0);
  const two = history.begin("write", 0);
  history.answer(one, 1, side("a", [one.id]), one.id);
  const read = history.begin("read", 0);
  history.answer(read, 1, side("b", [two.id]), two.id);
  assert.equal(kernel.violation?.check, "one dataset");
});

test("an answer from before what a client had already seen is seen", () => {
  const { kernel, history, side } = world();
  const one = history.begin("write", 0);
  const two = history.begin("write", 0);
  history.answer(one, 1, side("a", [one.id]), one.id);
  history.answer(two, 2, side("a", [one.id, two.id]), two.id);
  const read = history.begin("read", 0);
  history.answer(read, 1, side("b", [one.id]), one.id);
  assert.equal(kernel.violation?.check, "revisions never go back");
});

test("after an accepted loss nobody sees a revision twice, unless it is said that they go back", () => {
  const lost = () => {
    const made = world();
    const [one, two] = [made.history.begin("write", 0), made.history.begin("write", 0)];
    made.history.answer(one, 1, made.side("a", [one.id], [0, 1]), one.id);
    made.history.answer(two, 2, made.side("b", [one.id, two.id], [1]), two.id);
    made.history.lossAccepted(0);
    const next = made.history.begin("write", 0);
    return { ...made, next, left: made.side("a", [one.id, next.id], [0]) };
  };
  const back = lost();
  back.history.answer(back.next, 2, back.left, back.next.id);
  assert.equal(back.kernel.violation?.check, "revisions never go back");
  const raised = lost();
  raised.history.answer(raised.next, 2, { ...raised.left, raised: 1_000 }, raised.next.id);
  assert.equal(raised.kernel.violation, undefined);
  const said = lost();
  said.history.revisionsGoBack();
  const later = said.history.begin("write", 0);
  said.history.answer(later, 2, said.side("a", [1, later.id], [0]), later.id);
  assert.equal(said.kernel.violation, undefined);
});

test("a read that began before the write was answered may see either state", () => {
  const { kernel, history, side } = world();
  const one = history.begin("write", 0);
  const early = history.begin("read", 0);
  history.answer(one, 1, side("a", [one.id]), one.id);
  history.answer(early, 0, side("b", []), 0);
  assert.equal(kernel.violation, undefined);
});

test("a wrong value at the right revision is seen", () => {
  const { kernel, history, side } = world();
  const one = history.begin("write", 0);
  const two = history.begin("write", 0);
  const values = [one.id, two.id];
  const a = side("a", values);
  history.answer(two, 2, a, two.id);
  const read = history.begin("read", 0);
  history.answer(read, 2, a, one.id);
  assert.equal(kernel.violation?.check, "linearizable");
});

test("an operation without an answer stays open and promises nothing", () => {
  const { kernel, history, side } = world();
  const open = history.begin("write", 0);
  const done = history.begin("write", 0);
  history.answer(done, 1, side("a", [done.id]), done.id);
  assert.deepEqual(history.missing([done.id]), []);
  const later = history.begin("read", 0);
  history.answer(later, 2, side("b", [done.id, open.id]), open.id);
  assert.equal(kernel.violation, undefined, "it may happen as late as it likes");
  assert.equal(open.state, "open");
});

test("after an accepted loss only what is answered since counts, and all of that does", () => {
  const { kernel, history, side } = world();
  const broken = () => kernel.violation?.check;
  const lost = history.begin("write", 0);
  const kept = history.begin("write", 0);
  history.answer(kept, 1, side("a", [kept.id]), kept.id);
  history.answer(lost, 2, side("a", [kept.id, lost.id], [0]), lost.id);
  let told = 0;
  history.onLoss.push(() => {
    told += 1;
  });
  // An operation that began before it, and is answered after it, need not be behind what was lost.
  const open = history.begin("write", 0);
  history.lossAccepted(1);
  history.answer(open, 2, side("b", [kept.id, open.id]), open.id);
  assert.equal(broken(), undefined);
  assert.equal(told, 1);
  assert.deepEqual(history.missing([kept.id, open.id]), []);
  const since = history.begin("write", 0);
  history.answer(since, 3, side("b", [kept.id, open.id, since.id]), since.id);
  assert.deepEqual(history.missing([kept.id, open.id]), [since.id]);
  // The old data served again would lose what was acknowledged since.
  const read = history.begin("read", 0);
  history.answer(read, 2, side("a", [kept.id, lost.id]), lost.id);
  assert.equal(broken(), "one dataset");
});

test("a loss that is accepted on a machine forgives nothing that it had a part in, unless its disk is new", () => {
  for (const [newDisk, broken] of [
    [false, "one dataset"],
    [true, undefined],
  ] as const) {
    const { kernel, history, side } = world();
    const both = history.begin("write", 0);
    history.answer(both, 1, side("a", [both.id]), both.id);
    if (newDisk) history.diskLost(1);
    const after = history.begin("write", 0);
    history.lossAccepted(1);
    history.answer(after, 1, side("b", [after.id], [1]), after.id);
    assert.equal(kernel.violation?.check, broken);
  }
});
