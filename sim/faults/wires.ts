import { cutLinks, later, second_us, some_us, type StormFault, type Trouble } from "./fault.ts";

const flaps_max = 6;

/** Up and down every few seconds, just around Corosync's patience. */
function flap(trouble: Trouble, times: number): void {
  const { world } = trouble;
  if (times === 0) {
    for (const link of world.links) link.healBoth(0, 1);
    return;
  }
  for (const link of world.links) link.cutBoth(0, 1);
  world.kernel.after(2.3 * second_us, () => {
    for (const link of world.links) link.healBoth(0, 1);
  });
  later(trouble, 3.1 * second_us, () => flap(trouble, times - 1));
}

export const wireFaults: readonly StormFault[] = [
  { name: "both links are cut", run: (trouble) => cutLinks(trouble, some_us(trouble)) },
  {
    name: "etcd's link is cut, the other is not",
    run: (trouble) => {
      const [link] = trouble.world.links;
      link.cutBoth(0, 1);
      trouble.world.kernel.after(some_us(trouble), () => link.healBoth(0, 1));
    },
  },
  {
    name: "etcd's link is cut in one direction",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.links[0].cut(machine, 1 - machine);
      world.kernel.after(some_us(trouble), () => world.links[0].healBoth(0, 1));
    },
  },
  {
    name: "both links are cut in one direction",
    run: (trouble) => {
      const { world, machine } = trouble;
      for (const link of world.links) link.cut(machine, 1 - machine);
      world.kernel.after(some_us(trouble), () => {
        for (const link of world.links) link.healBoth(0, 1);
      });
    },
  },
  { name: "both links flap", run: (trouble) => flap(trouble, flaps_max) },
  {
    name: "the management port of the machine is out",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.management.port(machine, false);
      world.kernel.after(some_us(trouble), () => world.management.port(machine, true));
    },
  },
  {
    name: "the one switch for everything is out",
    run: (trouble) => {
      const { world } = trouble;
      const long_us = some_us(trouble);
      for (const { id } of world.machines) world.management.port(id, false);
      world.kernel.after(long_us, () => {
        for (const { id } of world.machines) world.management.port(id, true);
      });
      cutLinks(trouble, long_us);
    },
  },
];
