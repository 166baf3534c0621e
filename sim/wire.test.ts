import assert from "node:assert/strict";
import { test } from "node:test";
import { Kernel } from "./kernel/kernel.ts";
import { calm, Wire, type WireTimes } from "./wire.ts";

function carry(times: WireTimes, count: number, seed = 1): readonly number[] {
  const kernel = new Kernel({ seed });
  const wire = new Wire(kernel, "w", 2, times);
  const arrived: number[] = [];
  for (let i = 0; i < count; i += 1)
    kernel.after(i * 50, () => wire.send(0, 1, 1, i, (m) => arrived.push(m)));
  kernel.runSync(60_000_000);
  return arrived;
}

test("a stream arrives whole and in order", () => {
  assert.deepEqual(
    carry(calm, 200),
    Array.from({ length: 200 }, (_, i) => i),
  );
});

test("messages are lost, doubled and overtaken where that is asked for", () => {
  const lost = carry({ ...calm, lost_ppm: 200_000 }, 200);
  assert.ok(lost.length > 120 && lost.length < 190, `${lost.length} of 200 came`);
  assert.ok(carry({ ...calm, twice_ppm: 200_000 }, 200).length > 210);
  const late = carry({ ...calm, overtaken_ppm: 200_000 }, 200);
  assert.equal(late.length, 200);
  assert.notDeepEqual(
    late,
    late.toSorted((a, b) => a - b),
  );
});

test("one direction can be cut alone", () => {
  const kernel = new Kernel({ seed: 1 });
  const wire = new Wire(kernel, "w", 2);
  const arrived: string[] = [];
  wire.cut(0, 1);
  wire.send(0, 1, 1, "there", (m) => arrived.push(m));
  wire.send(1, 0, 1, "back", (m) => arrived.push(m));
  kernel.runSync(1_000_000);
  assert.deepEqual(arrived, ["back"]);
  assert.equal(wire.joined(0, 1), false);
});

test("after a short cut some of what TCP kept still comes, after a long one nothing", () => {
  const after = (cut_us: number): number => {
    const kernel = new Kernel({ seed: 4 });
    const wire = new Wire(kernel, "w", 2);
    let arrived = 0;
    wire.cutBoth(0, 1);
    for (let i = 0; i < 40; i += 1) wire.send(0, 1, 1, i, () => (arrived += 1));
    kernel.after(cut_us, () => wire.healBoth(0, 1));
    kernel.runSync(60_000_000);
    return arrived;
  };
  assert.ok(after(1_000_000) > 5);
  assert.equal(after(6_000_000), 0);
});

test("a tap cuts before or right after the message it looks for", () => {
  for (const when of ["cut before", "cut after"] as const) {
    const kernel = new Kernel({ seed: 2 });
    const wire = new Wire(kernel, "w", 2);
    const arrived: number[] = [];
    wire.tap = (_from, _to, message) => (message === 5 ? when : "pass");
    for (let i = 0; i < 10; i += 1)
      kernel.after(i * 1_000, () => wire.send(0, 1, 1, i, (m) => arrived.push(m)));
    kernel.runSync(1_000_000);
    assert.deepEqual(arrived, when === "cut after" ? [0, 1, 2, 3, 4, 5] : [0, 1, 2, 3, 4]);
    assert.equal(wire.up(0, 1) || wire.up(1, 0), false);
  }
});
