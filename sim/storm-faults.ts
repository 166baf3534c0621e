import { Clients, steadyLoad } from "./clients.ts";
import { label } from "./kernel/label.ts";
import type { World } from "./world.ts";

const second_us = 1_000_000;
/** A message takes less, with the other's sync it takes more. */
const arrival_us = 500;
const length = label("storm.length");

export interface StormFault {
  readonly name: string;
  readonly run: (world: World, machine: number) => void;
}

/** Some seconds, or a minute. */
const some_us = ({ kernel }: World): number =>
  ([3, 12, 30, 60][kernel.choices.pick(length, 4)] ?? 3) * second_us;

function bmcFault(kind: "unreachable" | "lies" | "accepted-no-effect" | "graceful-off" | "server-error") {
  return {
    name: `the BMC is ${kind}`,
    run: (world: World, machine: number) => {
      world.bmc(machine).setFaults([{ kind }]);
      world.kernel.after(some_us(world), () => world.bmc(machine).setFaults([]));
    },
  };
}

/** Is the newest entry of this message the one that makes a learner a voter? Older ones come with every new copy. */
function promotes(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("entries" in message)) return false;
  if (!Array.isArray(message.entries)) return false;
  const last: unknown = message.entries.at(-1);
  if (typeof last !== "object" || last === null || !("change" in last)) return false;
  const { change } = last;
  return typeof change === "object" && change !== null && "kind" in change && change.kind === "promote";
}

/** Many writes in a few milliseconds. */
function burst(world: World): void {
  const load = { ...steadyLoad, clients: 40, operations: 80, reads_percent: 0, pause_us: 2_000 };
  new Clients(world.kernel, world.history, load, 2, (id) => world.unit(id).running).start();
}

type Sign = (to: number, message: unknown) => boolean;

/** Both links go when this message is on its way; what comes behind it, and its answer, does not arrive. */
function cutAt(world: World, sign: Sign): void {
  const [first, second] = world.links;
  const long_us = 30 * second_us;
  first.tap = (_, to, message) => {
    if (!sign(to, message)) return "pass";
    first.tap = undefined;
    second.cutBoth(0, 1);
    burst(world);
    // It arrives, and its answer does not.
    world.kernel.after(arrival_us, () => first.cutBoth(0, 1));
    world.kernel.after(long_us, () => {
      for (const link of world.links) link.healBoth(0, 1);
    });
    return "pass";
  };
}

/** What may happen to two machines. The first is the plainest. */
export const faults: readonly StormFault[] = [
  { name: "a power cut", run: (world, machine) => world.cutPower(machine) },
  {
    name: "a power cut, and somebody switches it on again",
    run: (world, machine) => {
      world.cutPower(machine);
      world.kernel.after(some_us(world), () => world.machine(machine).powerOn());
    },
  },
  {
    name: "the machine hangs",
    run: (world, machine) => {
      const { life } = world.machine(machine);
      world.machine(machine).hang();
      world.kernel.after(some_us(world), () => {
        if (world.machine(machine).life === life) world.machine(machine).resume();
      });
    },
  },
  {
    name: "both links are cut",
    run: (world) => {
      for (const link of world.links) link.cutBoth(0, 1);
      world.kernel.after(some_us(world), () => {
        for (const link of world.links) link.healBoth(0, 1);
      });
    },
  },
  {
    name: "etcd's link is cut, the other is not",
    run: (world) => {
      world.links[0].cutBoth(0, 1);
      world.kernel.after(some_us(world), () => world.links[0].healBoth(0, 1));
    },
  },
  {
    name: "etcd's link is cut in one direction",
    run: (world, machine) => {
      world.links[0].cut(machine, 1 - machine);
      world.kernel.after(some_us(world), () => world.links[0].healBoth(0, 1));
    },
  },
  { name: "etcd is killed", run: (world, machine) => world.unit(machine).kill() },
  {
    name: "the feed is lost",
    run: (world, machine) => {
      world.feed(machine, false);
      world.kernel.after(some_us(world), () => {
        if (world.pdu.isOn(machine)) world.feed(machine, true);
      });
    },
  },
  {
    name: "an orderly shutdown, and on again",
    run: (world, machine) => {
      world.machine(machine).shutdown();
      world.kernel.after(60 * second_us, () => world.machine(machine).powerOn());
    },
  },
  bmcFault("unreachable"),
  bmcFault("lies"),
  bmcFault("graceful-off"),
  bmcFault("accepted-no-effect"),
  {
    name: "the management port is out",
    run: (world, machine) => {
      world.management.port(machine, false);
      world.kernel.after(some_us(world), () => world.management.port(machine, true));
    },
  },
  {
    name: "both machines lose power, and come back at different times",
    run: (world, machine) => {
      for (const { id } of world.machines) world.cutPower(id);
      world.kernel.after(3 * second_us, () => world.machine(machine).powerOn());
      world.kernel.after(some_us(world) + 3 * second_us, () => world.machine(1 - machine).powerOn());
    },
  },
  {
    name: "a power cut, and the wire breaks when the machine is to become a voter again",
    run: (world, machine) => {
      // Behind the promotion the leader still answers alone.
      cutAt(world, (_, message) => promotes(message));
      world.cutPower(machine);
      world.kernel.after(some_us(world), () => world.machine(machine).powerOn());
    },
  },
  {
    name: "a power cut, and the wire breaks while the machine is a learner",
    run: (world, machine) => {
      cutAt(world, (to) => world.unit(to).running?.isLearner === true);
      world.cutPower(machine);
      world.kernel.after(some_us(world), () => world.machine(machine).powerOn());
    },
  },
];
