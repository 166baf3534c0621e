import assert from "node:assert/strict";
import { test } from "node:test";
import { stockFence } from "../stock-fence.ts";
import { World, type WorldOptions } from "../world.ts";
import type { ActionContext, FenceAgent, Operation, Outcome } from "./agent.ts";
import { scoreAttribute } from "./controller.ts";

interface Bench {
  readonly world: World;
  readonly log: string[];
  readonly running: [boolean, boolean];
  readonly run: (seconds: number) => Promise<void>;
}

type Special = (world: World, operation: Operation, context: ActionContext) => Promise<Outcome | undefined>;

/** A resource without a body: it is up or not. `special` may answer in its place. */
function bench(special?: Special, options: Partial<WorldOptions> = {}): Bench {
  const log: string[] = [];
  const running: [boolean, boolean] = [false, false];
  const world = new World(
    { seed: 3 },
    {
      fence: stockFence,
      pacemaker: { notify_lost_ppm: 0, notify_late_ppm: 0, fence_delay_us: [10_000_000, 0] },
      ...options,
      agent: (world) => ({
        run: async (operation, context) => {
          const { machine, life, notification } = context;
          const what =
            notification === undefined
              ? operation
              : `${notification.when}-${notification.operation} of ${notification.machines.join()}`;
          log.push(`${machine} ${what}`);
          await world.kernel.tasks.sleep(life, 20_000);
          const other = await special?.(world, operation, context);
          if (other !== undefined) return other;
          const at = machine === 0 ? 0 : 1;
          if (operation === "promote") running[at] = true;
          if (operation === "start") world.attributes.set(machine, scoreAttribute, "10");
          if (operation === "stop" || operation === "demote") running[at] = false;
          if (operation !== "monitor") return "ok";
          return running[at] ? "promoted" : context.role === "started" ? "ok" : "not running";
        },
      }),
    },
  );
  for (const machine of world.machines)
    machine.tenants.push({
      dead: () => {
        running[machine.id === 0 ? 0 : 1] = false;
      },
    });
  const run = (seconds: number) => world.kernel.run(world.kernel.now_us + seconds * 1_000_000);
  return { world, log, running, run };
}

async function whole(made: Bench): Promise<Bench> {
  for (const machine of made.world.machines) machine.powerOn();
  await made.run(25);
  assert.deepEqual(made.running, [true, true], made.log.join("\n"));
  made.log.length = 0;
  return made;
}

test("both machines start, then both are promoted, with notifications around it", async () => {
  const { world, log, running, run } = bench();
  for (const machine of world.machines) machine.powerOn();
  await run(25);
  assert.deepEqual(running, [true, true]);
  for (const machine of [0, 1]) {
    const mine = log.filter((line) => line.startsWith(`${machine} `)).map((line) => line.slice(2));
    assert.deepEqual(mine.slice(0, 6), [
      "monitor",
      "start",
      "post-start of 0,1",
      "pre-promote of 0,1",
      "promote",
      "post-promote of 0,1",
    ]);
  }
});

test("a lone machine has no quorum: it runs nothing and fences nobody", async () => {
  const { world, log, run } = bench();
  world.machine(0).powerOn();
  await run(120);
  assert.deepEqual(log, ["0 monitor"]);
  assert.equal(world.bmc(1).power, "Off");
  world.corosync.cancelWaitForAll(0);
  const fenced: string[] = [];
  world.pacemaker.onFenced.push((by, target, ok) => fenced.push(`${by} ${target} ${ok}`));
  await run(30);
  assert.deepEqual(fenced, ["0 1 true"], "a peer never seen is unknown, not absent");
  assert.ok(log.includes("0 promote"));
});

test("a lost machine is fenced, and the survivor hears of its stop after that", async () => {
  const { world, log, run } = await whole(bench());
  const times: string[] = [];
  world.pacemaker.onFenced.push((by, target, ok) => times.push(`${by} ${target} ${ok} after ${log.length}`));
  world.cutPower(1);
  await run(15);
  assert.equal(times.length, 1);
  const before = log.slice(0, Number(times[0]?.split(" ").at(-1)));
  const after = log.slice(before.length);
  assert.ok(before.includes("0 pre-stop of 1") || after.includes("0 pre-stop of 1"));
  assert.ok(after.includes("0 post-stop of 1"));
  assert.ok(!before.includes("0 post-stop of 1"));
});

test("both live and the wire is cut: the delays decide, one is left", async () => {
  const { world, run } = await whole(bench());
  for (const link of world.links) link.cutBoth(0, 1);
  await run(40);
  assert.deepEqual(
    world.machines.map((machine) => machine.powered),
    [true, false],
  );
});

test("equal delays switch both off", async () => {
  const made = bench(undefined, {
    pacemaker: { notify_lost_ppm: 0, notify_late_ppm: 0, fence_delay_us: [0, 0] },
  });
  const { world, run } = await whole(made);
  for (const link of world.links) link.cutBoth(0, 1);
  await run(40);
  assert.deepEqual(
    world.machines.map((machine) => machine.powered),
    [false, false],
  );
});

test("a fence that fails is tried again, without end", async () => {
  let calls = 0;
  const fence: FenceAgent = {
    off: async () => {
      calls += 1;
      return calls > 5;
    },
  };
  const { world, log, run } = await whole(bench(undefined, { fence: () => fence }));
  world.cutPower(1);
  await run(60);
  assert.equal(calls, 6);
  assert.equal(log.filter((line) => line === "0 post-stop of 1").length, 1);
});

test("an action that overruns is killed, and what it waited for never happens", async () => {
  let late = false;
  const { world, log, run } = await whole(
    bench(async (world, operation, { machine, life }) => {
      if (operation !== "demote" || machine !== 1) return undefined;
      await world.kernel.tasks.sleep(life, 100_000_000);
      late = true;
      return "ok";
    }),
  );
  world.pacemaker.controller(1)?.standby(true);
  await run(150);
  assert.equal(late, false);
  assert.ok(log.includes("1 demote"));
});

test("standby outlives a boot, and a machine on standby that is lost without a goodbye is fenced like any", async () => {
  const { world, log, running, run } = await whole(bench());
  world.pacemaker.standby(1, true);
  await run(20);
  assert.deepEqual(running, [true, false]);
  log.length = 0;
  let fences = 0;
  world.pacemaker.onFenced.push((by, target) => {
    if (by === 0 && target === 1) fences += 1;
  });
  world.cutPower(1);
  await run(20);
  assert.equal(fences, 1);
  world.machine(1).powerOn();
  await run(60);
  assert.equal(world.corosync.view(0).members.length, 2);
  assert.equal(world.pacemaker.controller(0)?.belief(1).standby, true, "also after a boot");
  assert.deepEqual(running, [true, false]);
  assert.ok(!log.includes("1 start"), log.join("\n"));
  world.pacemaker.standby(1, false);
  await run(20);
  assert.deepEqual(running, [true, true]);
});

test("a failed monitor restarts in place, and a failed stop fences", async () => {
  const { world, log, running, run } = await whole(bench());
  running[1] = false;
  await run(20);
  assert.deepEqual(running, [true, true]);
  assert.ok(log.indexOf("1 stop") < log.indexOf("1 start"));
  assert.equal(world.machine(1).powered, true);

  const stuck = await whole(
    bench(async (_world, operation, { machine }) =>
      operation === "stop" && machine === 1 ? "error" : undefined,
    ),
  );
  stuck.running[1] = false;
  await stuck.run(40);
  assert.equal(stuck.world.machine(1).powered, false);
});

test("a notification waits for a monitor of the same resource that is in flight", async () => {
  const times: string[] = [];
  let slow = false;
  const { world, run } = await whole(
    bench(async (world, operation, { machine, life, notification }) => {
      if (machine !== 0) return undefined;
      if (operation === "notify") times.push(`${notification?.when}-${notification?.operation}`);
      if (!slow || operation !== "monitor") return undefined;
      times.push("monitor begins");
      await world.kernel.tasks.sleep(life, 9_000_000);
      times.push("monitor ends");
      return "promoted";
    }),
  );
  slow = true;
  while (times.at(-1) !== "monitor begins") await run(0.5);
  world.cutPower(1);
  await run(25);
  const from = times.indexOf("monitor begins");
  assert.deepEqual(times.slice(from, from + 3), ["monitor begins", "monitor ends", "pre-demote"]);
  assert.ok(times.includes("post-stop"));
});

test("an orderly shutdown stops the resource first, and nobody is fenced for it", async () => {
  const { world, log, run } = await whole(bench());
  const fenced: number[] = [];
  world.pacemaker.onFenced.push((_, target) => fenced.push(target));
  world.machine(0).shutdown();
  await run(30);
  assert.equal(world.machine(0).powered, false);
  assert.ok(log.indexOf("0 demote") >= 0 && log.indexOf("0 demote") < log.indexOf("0 stop"));
  assert.deepEqual(fenced, []);
});

test("lost notifications are lost, and nobody asks", async () => {
  const made = bench(undefined, {
    pacemaker: { notify_lost_ppm: 1_000_000, notify_late_ppm: 0, fence_delay_us: [10_000_000, 0] },
  });
  const { world, log, run } = made;
  for (const machine of world.machines) machine.powerOn();
  await run(25);
  world.cutPower(1);
  await run(20);
  assert.ok(log.includes("1 promote"));
  assert.deepEqual(
    log.filter((line) => line.includes("-")),
    [],
  );
});
