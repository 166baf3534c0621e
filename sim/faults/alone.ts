import { label } from "../kernel/label.ts";
import { claim } from "./bmc.ts";
import { second_us, type StormFault, switchOn, type Trouble } from "./fault.ts";

const order = label("storm.alone");
/** Long enough for a machine to boot, to call, to be told something, and to serve. */
const turn_us = 160 * second_us;

/** Who is on alone, one after the other. The last stays on when the other comes back. */
const orders = [
  ["machine", "peer"],
  ["machine", "machine", "peer"],
  ["machine", "peer", "machine"],
  ["machine"],
] as const;

/** The other is dark with its BMC: whoever takes over can't switch it on, and its tag can't be read. */
function alone({ world }: Trouble, id: number, last: boolean): void {
  for (const each of world.machines) world.cutPower(each.id);
  world.feed(1 - id, false);
  world.feed(id, true);
  world.kernel.after(second_us, () => world.machine(id).powerOn());
  if (last)
    world.kernel.after(turn_us - second_us, () => {
      world.feed(1 - id, true);
      world.machine(1 - id).powerOn();
    });
}

/** With the other off and its BMC there, one boots alone and serves; then a BMC claims what it does not hold. */
function claimed(trouble: Trouble): void {
  const { world, machine } = trouble;
  for (const { id } of world.machines) world.cutPower(id);
  world.kernel.after(second_us, () => switchOn(world, machine));
  // Whoever takes over switches the other on: with the wire cut it is not heard.
  world.kernel.after(20 * second_us, () => {
    for (const link of world.links) link.cutBoth(0, 1);
  });
  world.kernel.after(50 * second_us, () => claim(trouble));
  world.kernel.after(70 * second_us, () => {
    for (const link of world.links) link.healBoth(0, 1);
  });
}

/** With an admin who gives each what it asks for, and BMCs that can't tell of the other: two histories, which then meet. */
export const aloneFaults: readonly StormFault[] = [
  {
    name: "the machines are on one after the other, for minutes, and hear nothing of each other",
    lasts_us: 3 * turn_us,
    run: (trouble) => {
      const { kernel } = trouble.world;
      const turns = orders[kernel.choices.pick(order, orders.length)] ?? orders[0];
      for (const [turn, who] of turns.entries())
        kernel.after(turn * turn_us, () => {
          const id = who === "machine" ? trouble.machine : 1 - trouble.machine;
          alone(trouble, id, turn === turns.length - 1);
        });
    },
  },
];

export const claimFaults: readonly StormFault[] = [
  {
    name: "one boots alone and serves, and a BMC claims a later epoch",
    lasts_us: 80 * second_us,
    run: claimed,
  },
];
