import type { Site } from "../agents/site.ts";
import { label } from "../kernel/label.ts";
import type { World } from "../world.ts";

export const second_us = 1_000_000;
const length = label("storm.length");

/** Where a fault strikes. What it does to "the machine" it does to this one. */
export interface Trouble {
  readonly world: World;
  readonly site: Site;
  readonly machine: number;
}

export interface StormFault {
  readonly name: string;
  readonly run: (trouble: Trouble) => void;
  /** Nothing else comes before this is over. */
  readonly lasts_us?: number;
}

/** Some seconds, or a minute. */
export const some_us = ({ world: { kernel } }: Trouble): number =>
  ([3, 12, 30, 60][kernel.choices.pick(length, 4)] ?? 3) * second_us;

/** Somebody switches it on again after some time. A machine without feed stays dark until that is back. */
export function onAgain(trouble: Trouble, machine: number, more_us = 0): void {
  const { world } = trouble;
  world.kernel.after(some_us(trouble) + more_us, () => switchOn(world, machine));
}

export function switchOn(world: World, machine: number): void {
  if (world.bmc(machine).fed) world.machine(machine).powerOn();
}

/** A fault's second half, which does not come once the faults are over. */
export function later({ world, site }: Trouble, delay_us: number, run: () => void): void {
  world.kernel.after(delay_us, () => {
    if (!site.faultsOver) run();
  });
}

/** Both cluster links, for some time. */
export function cutLinks({ world }: Trouble, long_us: number): void {
  for (const link of world.links) link.cutBoth(0, 1);
  world.kernel.after(long_us, () => {
    for (const link of world.links) link.healBoth(0, 1);
  });
}
