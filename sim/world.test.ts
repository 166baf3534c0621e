import assert from "node:assert/strict";
import { test } from "node:test";
import type { Schedule } from "./kernel/choices.ts";
import { explore, type Runner } from "./kernel/explore.ts";
import { label } from "./kernel/label.ts";
import type { ResourceAgent } from "./pacemaker/agent.ts";
import { scoreAttribute } from "./pacemaker/controller.ts";
import { stockFence } from "./stock-fence.ts";
import { rough } from "./wire.ts";
import { World } from "./world.ts";

const event = label("world-test.event");
const second = 1_000_000;

/** Starts etcd as it is and never takes over: with one machine away nobody serves, so nothing can be lost. */
function plainAgent(world: World): ResourceAgent {
  const { tasks } = world.kernel;
  return {
    run: async (operation, { machine, life, role }) => {
      const unit = world.unit(machine);
      await tasks.sleep(life, 30_000);
      switch (operation) {
        case "start":
          world.attributes.set(machine, scoreAttribute, "10");
          return "ok";
        case "promote": {
          const fresh = unit.folder.value?.wal.records.length === 0;
          const how = fresh
            ? ({ kind: "new", members: { 1: 0, 2: 1 } } as const)
            : ({ kind: "restart" } as const);
          const why = await tasks.answer<string | undefined>(life, (done) => unit.start(how, done));
          return why === undefined ? "ok" : "error";
        }
        case "stop":
        case "demote":
          await tasks.answer<undefined>(life, (done) => unit.stop(() => done(undefined)));
          return "ok";
        case "monitor":
          if (unit.running !== undefined) return "promoted";
          return role === "started" ? "ok" : "not running";
        case "notify":
          return "ok";
      }
    },
  };
}

function site(schedule: Schedule, trace = false): World {
  const world = new World(schedule, {
    agent: plainAgent,
    fence: stockFence,
    trace,
    wire: rough,
    load: { operations: 300, pause_us: 200_000 },
  });
  for (const machine of world.machines) {
    world.unit(machine.id).create(world.freshMemberId(), 7);
    world.unit(machine.id).folder.sync();
    machine.powerOn();
  }
  world.clients.start();
  return world;
}

const events: readonly ((world: World, machine: number) => void)[] = [
  () => undefined,
  (world, machine) => world.cutPower(machine),
  (world, machine) => world.unit(machine).kill(),
  (world, machine) => {
    world.machine(machine).hang();
    world.kernel.after(8 * second, () => world.machine(machine).resume());
  },
  (world) => {
    for (const link of world.links) link.cutBoth(0, 1);
    world.kernel.after(15 * second, () => {
      for (const link of world.links) link.healBoth(0, 1);
    });
  },
  (world, machine) => {
    world.feed(machine, false);
    world.kernel.after(10 * second, () => world.feed(machine, true));
  },
  (world, machine) => world.machine(machine).shutdown(),
];

/** Three events; afterwards somebody switches on what is off, until both run. */
const run: Runner = async (schedule, { trace }) => {
  const world = site(schedule, trace);
  const { kernel } = world;
  for (let i = 0; i < 3; i += 1)
    kernel.after((25 + 20 * i) * second, () => {
      const which = kernel.choices.pick(event, events.length);
      events[which]?.(world, kernel.choices.pick(event, 2));
    });
  const mend = () => {
    for (const machine of world.machines) if (!machine.powered) machine.powerOn();
    kernel.after(30 * second, mend);
  };
  kernel.after(90 * second, mend);
  await kernel.run(260 * second);
  if (world.etcd.some((unit) => unit.running === undefined)) kernel.fail("both run again", "one does not");
  else if (world.etcd.every((unit) => unit.running?.raft.role !== "leader"))
    kernel.fail("somebody leads", "nobody");
  return kernel;
};

test("machines, BMCs, Corosync, Pacemaker and etcd together: cut, killed, hung, parted; nothing lost, and whole again", async () => {
  const { found, schedules, events: count } = await explore(run, { seed: 1, schedules: 120 });
  assert.equal(found, undefined, JSON.stringify(found));
  assert.ok(count / schedules > 3_000);
});

test("the whole world repeats byte for byte", async () => {
  const lines = async () => [...(await run({ seed: 77 }, { trace: true })).trace.lines()].join("\n");
  assert.equal(await lines(), await lines());
});

test("calls to a BMC, a PDU and an etcd have a deadline, and end with the machine that made them", async () => {
  const world = site({ seed: 1 });
  const { kernel } = world;
  await kernel.run(30 * second);
  const seen: string[] = [];
  const { life } = world.machine(0);
  kernel.tasks.start(async () => {
    const bmc = await world.askBmc(life, 0, 1, { kind: "read" }, second);
    seen.push(`${bmc?.status} ${bmc?.power}`);
    const outlet = await world.askPdu(life, 0, { kind: "read", machine: 1 }, second);
    seen.push(`${outlet?.power}`);
    const voters = await world.askEtcd(
      life,
      0,
      1,
      (requests, reply) => requests.read(reply),
      (member, answer) => (answer.ok ? member.applier.membership.voters.join() : answer.why),
      second,
    );
    seen.push(`${voters}`);
    world.management.port(0, false);
    const cut = await world.askBmc(life, 0, 1, { kind: "read" }, second);
    seen.push(cut === undefined ? "no answer" : "an answer");
    world.management.port(0, true);
    world.bmc(1).setFaults([{ kind: "slow", seconds: 3 }]);
    kernel.after(second, () => world.cutPower(0));
    await world.askBmc(life, 0, 1, { kind: "read" }, 10 * second);
    seen.push("answered to the dead");
  });
  await kernel.run(60 * second);
  assert.deepEqual(seen, ["200 On", "On", "1,2", "no answer"]);
});
