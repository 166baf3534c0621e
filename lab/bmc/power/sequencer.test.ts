import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Sequencer, type Step } from "./sequencer.ts";

class Lamp {
  lit = false;
  busy = 0;
  overlapped = false;
  async #turn(to: boolean): Promise<void> {
    this.busy += 1;
    this.overlapped ||= this.busy > 1;
    await Promise.resolve();
    this.lit = to;
    this.busy -= 1;
  }
  async on(): Promise<void> {
    await this.#turn(true);
  }
  async off(): Promise<void> {
    await this.#turn(false);
  }
  async isOn(): Promise<boolean> {
    return this.lit;
  }
}

const quick = { off_ms: 0, on_ms: 0 };
const unexpected = (error: unknown): never => {
  throw error;
};

test("the state in between is shown until the switch is thrown, and Off never before it", async () => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const lamp = new Lamp();
  lamp.lit = true;
  const slow = {
    on: () => lamp.on(),
    isOn: () => lamp.isOn(),
    off: async () => {
      await opened;
      await lamp.off();
    },
  };
  const sequencer = new Sequencer(slow, quick, unexpected);
  sequencer.start(["off"]);
  assert.equal(await sequencer.state(), "PoweringOff");
  assert.ok(lamp.lit);
  open();
  await sequencer.settled();
  assert.equal(await sequencer.state(), "Off");
});

test("a failing switch is reported, and the state is what the switch says", async () => {
  const failures: unknown[] = [];
  const stuck = {
    on: () => Promise.reject(new Error("stuck")),
    off: async () => undefined,
    isOn: async () => false,
  };
  const sequencer = new Sequencer(stuck, quick, (error) => failures.push(error));
  sequencer.start(["on"]);
  await sequencer.settled();
  assert.equal(failures.length, 1);
  assert.equal(await sequencer.state(), "Off");
});

test("an off that is part of a cycle can be made final", async () => {
  const lamp = new Lamp();
  lamp.lit = true;
  const sequencer = new Sequencer(lamp, quick, unexpected);
  sequencer.start(["off", "on"]);
  sequencer.stayOff();
  await sequencer.settled();
  assert.equal(await sequencer.state(), "Off");
});

const run = fc.constantFrom<readonly [Step, ...Step[]]>(["on"], ["off"], ["off", "on"]);

test("whatever is started in between, the last command decides and the switch is thrown by one at a time", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(run, fc.nat(3)), { minLength: 1, maxLength: 8 }), async (runs) => {
      const lamp = new Lamp();
      const sequencer = new Sequencer(lamp, quick, unexpected);
      for (const [steps, turns] of runs) {
        sequencer.start(steps);
        for (let i = 0; i < turns; i += 1) await new Promise(setImmediate);
      }
      await sequencer.settled();
      const last = runs.at(-1)?.[0].at(-1);
      assert.equal(await sequencer.state(), last === "on" ? "On" : "Off");
      assert.ok(!lamp.overlapped);
    }),
    { numRuns: 60 },
  );
});

test("closing ends what is under way without throwing the switch", async () => {
  const lamp = new Lamp();
  const sequencer = new Sequencer(lamp, { off_ms: 60_000, on_ms: 60_000 }, unexpected);
  sequencer.start(["on"]);
  await sequencer.close();
  assert.equal(lamp.lit, false);
});
