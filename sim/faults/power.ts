import { later, onAgain, second_us, some_us, type StormFault, switchOn, type Trouble } from "./fault.ts";

function loseFeed(trouble: Trouble, machine: number, long_us: number): void {
  const { world, site } = trouble;
  world.feed(machine, false);
  world.kernel.after(long_us, () => {
    if (world.pdu.isOn(machine) && site.dark !== machine) world.feed(machine, true);
  });
}

function hang({ world }: Trouble, machine: number, long_us: number): void {
  const { life } = world.machine(machine);
  world.machine(machine).hang();
  world.kernel.after(long_us, () => {
    if (world.machine(machine).life === life) world.machine(machine).resume();
  });
}

export const outage: StormFault = {
  name: "a power cut, and somebody switches it on again",
  run: (trouble) => {
    trouble.world.cutPower(trouble.machine);
    onAgain(trouble, trouble.machine);
  },
};

export const powerFaults: readonly StormFault[] = [
  { name: "a power cut", run: ({ world, machine }) => world.cutPower(machine) },
  outage,
  {
    name: "the machine hangs",
    run: (trouble) => hang(trouble, trouble.machine, some_us(trouble)),
  },
  {
    name: "the feed is lost",
    run: (trouble) => loseFeed(trouble, trouble.machine, some_us(trouble)),
  },
  {
    name: "an orderly shutdown, and on again",
    run: ({ world, machine }) => {
      world.machine(machine).shutdown();
      world.kernel.after(60 * second_us, () => switchOn(world, machine));
    },
  },
  {
    name: "both are shut down in the same second, and come back at different times",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.machine(machine).shutdown();
      later(trouble, some_us(trouble) / 60, () => world.machine(1 - machine).shutdown());
      world.kernel.after(50 * second_us, () => switchOn(world, machine));
      onAgain(trouble, 1 - machine, 50 * second_us);
    },
  },
  {
    name: "both machines lose power, and come back at different times",
    run: (trouble) => {
      const { world, machine } = trouble;
      for (const { id } of world.machines) world.cutPower(id);
      world.kernel.after(3 * second_us, () => switchOn(world, machine));
      onAgain(trouble, 1 - machine, 3 * second_us);
    },
  },
  {
    name: "both feeds are lost, and come back at different times",
    run: (trouble) => {
      loseFeed(trouble, trouble.machine, 5 * second_us);
      loseFeed(trouble, 1 - trouble.machine, some_us(trouble) + 5 * second_us);
    },
  },
  {
    name: "one loses its power, the other too before the first is back",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.cutPower(machine);
      // Long enough to take over, or just not.
      const later_us = some_us(trouble);
      later(trouble, later_us, () => {
        world.cutPower(1 - machine);
        world.kernel.after(second_us, () => switchOn(world, machine));
        onAgain(trouble, 1 - machine, 20 * second_us);
      });
    },
  },
];
