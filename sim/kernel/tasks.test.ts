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
