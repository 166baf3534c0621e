import { Clients, steadyLoad } from "../clients.ts";
import { label } from "../kernel/label.ts";
import type { Tap } from "../wire.ts";
import type { World } from "../world.ts";
import { fallBack, setFor } from "./bmc.ts";
import { carries } from "./content.ts";
import { typeWhenUp } from "./commands.ts";
import { cutLinks, onAgain, second_us, some_us, type StormFault, switchOn, type Trouble } from "./fault.ts";

const late_us = 50_000;
const within_us = 60 * second_us;
const busy_us = 120_000;
/** Longer than an election, shorter than a fence. */
const hang_us = 2_700_000;
/** A removed leader lives for another second, and the other may lead before that is over. */
const election_us = 700_000;
const length = label("storm.length");
const moment = label("storm.moment");
const late = label("storm.late");

/** A moment after it is true, if it is within a minute. */
export function once({ kernel }: World, isTrue: () => boolean, then: () => void): void {
  const forget = kernel.once(isTrue, () => {
    kernel.after(kernel.choices.jitter(late, late_us), then);
  });
  kernel.after(within_us, forget);
}

const leads = (world: World, machine: number): boolean => world.unit(machine).running?.raft.role === "leader";

/** It leads, and needs nobody's vote. */
const servesAlone = (world: World, machine: number): boolean =>
  leads(world, machine) && world.unit(machine).running?.raft.conf.voters.length === 1;

/** Many read and write for a second. */
function crowd(world: World): void {
  const load = { ...steadyLoad, clients: 60, operations: 600, reads_percent: 50, pause_us: 20_000 };
  new Clients(world.kernel, world.history, load, 2, (id) => world.unit(id).open).start();
}

/** Before its peer can have heard of it, or a while after that. */
function cutWhenFull(trouble: Trouble): void {
  const { world, site } = trouble;
  const delay_us = [20_000, 60_000, second_us, 3 * second_us][world.kernel.choices.pick(moment, 4)] ?? 0;
  const long_us = some_us(trouble);
  const listen = (_: number, step: string) => {
    if (step !== "write that this machine is full") return;
    site.traps.delete(listen);
    world.kernel.after(delay_us, () => cutLinks(trouble, long_us));
  };
  site.traps.add(listen);
}

/** The other goes too, once it has served for some seconds; who was away first is first to come back, and finds nobody. */
export function thenTheOther({ world, machine }: Trouble, before: () => void = () => undefined): void {
  const { kernel } = world;
  const other = 1 - machine;
  const served_us = ([2, 5, 1, 9][kernel.choices.pick(length, 4)] ?? 2) * second_us;
  const cut = () => {
    world.cutPower(other);
    before();
    switchOn(world, machine);
    kernel.after(60 * second_us, () => switchOn(world, other));
  };
  once(
    world,
    () => servesAlone(world, other),
    () => kernel.after(served_us, cut),
  );
}

/** Troubles that only hurt in this order. */
export const sequenceFaults: readonly StormFault[] = [
  {
    name: "one is lost, the other serves and is lost, and the first comes back alone",
    run: (trouble) => {
      trouble.world.cutPower(trouble.machine);
      thenTheOther(trouble);
    },
  },
  {
    name: "one is lost, the other serves and is lost, a BMC falls back to an older tag, and the first comes back alone",
    run: (trouble) => {
      trouble.world.cutPower(trouble.machine);
      thenTheOther(trouble, () => {
        const whose = trouble.world.kernel.choices.pick(moment, 2);
        fallBack({ ...trouble, machine: whose === 0 ? trouble.machine : 1 - trouble.machine });
      });
    },
  },
  {
    name: "one is lost, the other serves and is lost, and the first comes back alone, to somebody who knows no rules",
    run: (trouble) => {
      trouble.world.cutPower(trouble.machine);
      thenTheOther(trouble, () => typeWhenUp(trouble, trouble.machine));
    },
  },
  {
    name: "one is lost, the other while it writes its tags, and both are back soon",
    run: ({ world, site, machine }) => {
      const { kernel } = world;
      // Before the first of them is sent, or between two of what comes then.
      const delay_us = [1, 200_000, 400_000, 600_000][kernel.choices.pick(moment, 4)] ?? 1;
      const listen = (who: number, step: string) => {
        if (who === machine || step !== "write the tag of the own BMC") return;
        site.traps.delete(listen);
        kernel.after(delay_us, () => world.cutPower(who));
        kernel.after(2 * second_us, () => switchOn(world, machine));
        kernel.after(6 * second_us, () => switchOn(world, who));
      };
      site.traps.add(listen);
      world.cutPower(machine);
    },
  },
  {
    name: "a power cut, and both links are cut when the machine is full again",
    run: (trouble) => {
      cutWhenFull(trouble);
      trouble.world.cutPower(trouble.machine);
      onAgain(trouble, trouble.machine);
    },
  },
  {
    name: "one serves alone, both lose power, and both links are cut when they are whole again",
    run: (trouble) => {
      const { world, machine } = trouble;
      cutWhenFull(trouble);
      world.cutPower(machine);
      once(
        world,
        () => servesAlone(world, 1 - machine),
        () => {
          for (const { id } of world.machines) world.cutPower(id);
          world.kernel.after(second_us, () => {
            for (const { id } of world.machines) switchOn(world, id);
          });
        },
      );
    },
  },
  {
    name: "a BMC is away, and both links are cut",
    run: (trouble) => {
      const long_us = some_us(trouble);
      setFor(trouble, { kind: "unreachable" }, long_us + second_us);
      trouble.world.kernel.after(second_us, () => cutLinks(trouble, long_us));
    },
  },
  {
    name: "a power cut, and another of the peer while the machine is a learner",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.cutPower(machine);
      onAgain(trouble, machine);
      once(
        world,
        () => world.unit(machine).running?.isLearner === true,
        () => {
          world.cutPower(1 - machine);
          onAgain(trouble, 1 - machine);
        },
      );
    },
  },
  {
    name: "one leaves by plan, the other loses its power, and the first comes back alone",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.machine(machine).shutdown();
      once(
        world,
        () => !world.machine(machine).powered,
        () => thenTheOther(trouble),
      );
      world.kernel.after(90 * second_us, () => switchOn(world, machine));
    },
  },
  {
    name: "both are shut down at once, as by a failing supply, and come back",
    run: ({ world }) => {
      // All that runs on a machine writes when it is told to end.
      for (const machine of world.machines) {
        machine.disk.slower_us = busy_us;
        machine.shutdown();
      }
      world.kernel.after(50 * second_us, () => {
        for (const { id, disk } of world.machines) {
          disk.slower_us = 0;
          switchOn(world, id);
        }
      });
    },
  },
  {
    name: "an orderly shutdown, and the machine hangs when it is removed",
    run: ({ world, machine }) => {
      const [link] = world.links;
      const { life } = world.machine(machine);
      const delay_us = [2_000, 10_000, 50_000, 250_000][world.kernel.choices.pick(moment, 4)] ?? 0;
      const tap: Tap = (_, __, message) => {
        if (!carries(message, "remove")) return "pass";
        link.tap = undefined;
        world.kernel.after(delay_us, () => world.machine(machine).hang());
        world.kernel.after(election_us, () => crowd(world));
        world.kernel.after(delay_us + hang_us, () => {
          if (world.machine(machine).life === life) world.machine(machine).resume();
        });
        return "pass";
      };
      link.tap = tap;
      world.machine(machine).shutdown();
      world.kernel.after(60 * second_us, () => switchOn(world, machine));
    },
  },
];
