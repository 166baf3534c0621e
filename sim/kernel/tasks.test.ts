import assert from "node:assert/strict";
import { test } from "node:test";
import { Kernel } from "./kernel.ts";
import { Life } from "./life.ts";

test("async functions run on the virtual clock, in the order of their effects", async () => {
  const kernel = new Kernel({ seed: 1 });
  const seen: string[] = [];
  const life = new Life();
  const worker = (name: string, pause_us: number) => async () => {
    for (let i = 0; i < 3; i += 1) {
      await kernel.tasks.sleep(life, pause_us);
      seen.push(`${name} ${kernel.now_us}`);
    }
  };
  kernel.tasks.start(worker("a", 100));
  kernel.tasks.start(worker("b", 70));
  await kernel.run(1_000);
  assert.deepEqual(seen, ["b 70", "a 100", "b 140", "a 200", "b 210", "a 300"]);
});

test("what waits in the name of an ended life waits for ever, and its work is not done", async () => {
  const kernel = new Kernel({ seed: 1 });
  const machine = new Life();
  const process = new Life(machine);
  let done = "";
  kernel.tasks.start(async () => {
    await kernel.tasks.effect(process, 100, () => (done += "effect "));
    done += "after ";
  });
  kernel.after(50, () => machine.end());
  await kernel.run(1_000);
  assert.equal(done, "");
  kernel.tasks.start(async () => {
    await kernel.tasks.sleep(process, 1);
    done += "dead ";
  });
  await kernel.run(2_000);
  assert.equal(done, "");
});

test("several effects at once, deep calls and errors all settle before the next event", async () => {
  const kernel = new Kernel({ seed: 1 });
  const life = new Life();
  const seen: string[] = [];
  const deep = async (depth: number): Promise<number> =>
    depth === 0 ? await kernel.tasks.effect(life, 10, () => 1) : (await deep(depth - 1)) + 1;
  kernel.tasks.start(async () => {
    const [a, b] = await Promise.all([deep(8), deep(3)]);
    seen.push(`${a + b} at ${kernel.now_us}`);
    try {
      await kernel.tasks.effect(life, 5, () => {
        throw new Error("no");
      });
    } catch (error) {
      seen.push(`${String(error)} at ${kernel.now_us}`);
    }
  });
  kernel.after(11, () => seen.push("next event"));
  await kernel.run(100);
  assert.deepEqual(seen, ["13 at 10", "next event", "Error: no at 15"]);
});

test("an error that nobody catches ends the run with that error", async () => {
  const kernel = new Kernel({ seed: 1 });
  kernel.tasks.start(async () => {
    await kernel.tasks.sleep(new Life(), 5);
    throw new Error("a mistake");
  });
  kernel.after(20, () => undefined);
  await assert.rejects(kernel.run(100), /a mistake/);
});

test("a frozen life does nothing, and goes on when it is thawed", async () => {
  const kernel = new Kernel({ seed: 1 });
  const machine = new Life();
  const process = new Life(machine);
  const seen: string[] = [];
  kernel.tasks.start(async () => {
    for (let i = 0; i < 3; i += 1) {
      await kernel.tasks.effect(process, 10, () => seen.push(`work at ${kernel.now_us}`));
      seen.push(`after it at ${kernel.now_us}`);
    }
  });
  kernel.after(15, () => machine.freeze());
  kernel.after(100, () => machine.thaw());
  await kernel.run(1_000);
  assert.deepEqual(seen, [
    "work at 10",
    "after it at 10",
    "work at 100",
    "after it at 100",
    "work at 110",
    "after it at 110",
  ]);
});

test("a look takes no event; a frozen machine looks when it is thawed, a dead one never", async () => {
  const kernel = new Kernel({ seed: 1 });
  const machine = new Life();
  const process = new Life(machine);
  const seen: string[] = [];
  const look = async (name: string) => {
    const at_us = await kernel.tasks.look(process, () => kernel.now_us);
    seen.push(`${name} read at ${at_us}`);
  };
  kernel.tasks.start(() => look("first"));
  await kernel.run(5);
  assert.equal(kernel.events, 0);
  machine.freeze();
  kernel.tasks.start(() => look("second"));
  kernel.after(45, () => machine.thaw());
  await kernel.run(100);
  machine.end();
  kernel.tasks.start(() => look("third"));
  await kernel.run(200);
  assert.deepEqual(seen, ["first read at 0", "second read at 50"]);
  const mistake = kernel.tasks.look(new Life(), () => {
    throw new Error("no");
  });
  await assert.rejects(mistake, /no/);
});

test("several at once are joined before the next event, also those that wait for nothing", async () => {
  const kernel = new Kernel({ seed: 1 });
  const life = new Life();
  const seen: string[] = [];
  const slow = async (delay_us: number) => {
    await kernel.tasks.sleep(life, delay_us);
    await kernel.tasks.look(life, () => undefined);
    return delay_us;
  };
  kernel.tasks.start(async () => {
    const values = await kernel.tasks.all([() => slow(20), () => slow(10), async () => 0]);
    seen.push(`${values.join(" ")} at ${kernel.now_us}`);
    seen.push(`none: ${(await kernel.tasks.all([])).length}`);
  });
  // Another one that is awake at the same time is not forgotten.
  kernel.tasks.start(async () => {
    await kernel.tasks.sleep(life, 20);
    for (let i = 0; i < 12; i += 1) await kernel.tasks.look(life, () => i);
    seen.push(`other at ${kernel.now_us}`);
  });
  kernel.after(21, () => seen.push("next event"));
  await kernel.run(100);
  assert.deepEqual(seen.toSorted(), ["20 10 0 at 20", "next event", "none: 0", "other at 20"]);
  assert.equal(seen.at(-1), "next event");
});
