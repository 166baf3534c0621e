import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import type { World } from "../world.ts";
import { setFor } from "./bmc.ts";
import {
  cutLinks,
  later,
  onAgain,
  second_us,
  some_us,
  type StormFault,
  switchOn,
  type Trouble,
} from "./fault.ts";

const which = label("storm.command");
const where = label("storm.command-where");
const moment = label("storm.command-when");
const typed = traceKind("storm.typed", (machine, what) => `somebody types on machine ${machine}: ${what}`);

type Command = (world: World, machine: number) => void;

/** `pcs quorum unblock`, and `stonith_admin --confirm` of the other machine. */
const unblock: Command = (world, machine) => {
  world.kernel.note(typed, machine, "pcs quorum unblock");
  world.corosync.cancelWaitForAll(machine);
};
/** Only of one that is lost: a Pacemaker that hears of its own fence ends for good, which is not modelled (docs/simulator.md). */
const confirm: Command = (world, machine) => {
  if (world.corosync.view(machine).members.includes(1 - machine)) return;
  world.kernel.note(typed, machine, "stonith_admin --confirm of the other");
  world.pacemaker.controller(machine)?.confirmFence(1 - machine);
};
const both: Command = (world, machine) => {
  unblock(world, machine);
  confirm(world, machine);
};

/** Past duet, and with nobody asked. What hangs or boots takes no command. */
function type(world: World, machine: number, command: Command): void {
  const { up, hung } = world.machine(machine);
  if (up && !hung) command(world, machine);
}

/** At the next time at which it runs alone, from before the guard's first look to after its last. */
export function typeWhenUp(trouble: Trouble, machine: number): void {
  const { world } = trouble;
  const { choices } = world.kernel;
  const command = [unblock, both, confirm][choices.pick(which, 3)] ?? both;
  const delay_us = ([13, 17, 22, 30, 45][choices.pick(moment, 5)] ?? 17) * second_us;
  later(trouble, delay_us + choices.jitter(moment, second_us), () => type(world, machine, command));
}

/** In the moment of a loss, while the fence is on its way, or when it was tried for a while. */
const lossMoment_us = ({ world: { kernel } }: Trouble): number =>
  ([0.3, 2.5, 7, 9, 14][kernel.choices.pick(moment, 5)] ?? 7) * second_us +
  kernel.choices.jitter(moment, second_us);

/** On the machine, on the other, or on both. */
function confirmSoon(trouble: Trouble): void {
  const { world, machine } = trouble;
  const on = [[machine], [1 - machine], [0, 1]][world.kernel.choices.pick(where, 3)] ?? [];
  later(trouble, lossMoment_us(trouble), () => {
    for (const id of on) type(world, id, confirm);
  });
}

/** Commands of the cluster's own tools that grant quorum or take a fence for done, typed where nobody should. */
export const commandFaults: readonly StormFault[] = [
  {
    name: "somebody grants quorum and confirms a fence by hand, whatever is there to confirm",
    run: ({ world }) => {
      for (const { id } of world.machines) type(world, id, both);
    },
  },
  {
    name: "both links are cut, and somebody confirms a fence by hand",
    run: (trouble) => {
      cutLinks(trouble, some_us(trouble));
      confirmSoon(trouble);
    },
  },
  {
    name: "a machine hangs, its BMC is away, and somebody confirms its fence by hand",
    run: (trouble) => {
      const { world, machine } = trouble;
      const long_us = some_us(trouble);
      setFor(trouble, { kind: "unreachable" }, long_us);
      const { life } = world.machine(machine);
      world.machine(machine).hang();
      confirmSoon(trouble);
      world.kernel.after(long_us, () => {
        if (world.machine(machine).life === life) world.machine(machine).resume();
      });
    },
  },
  {
    name: "a power cut, and somebody confirms the fence by hand",
    run: (trouble) => {
      trouble.world.cutPower(trouble.machine);
      confirmSoon(trouble);
      onAgain(trouble, trouble.machine);
    },
  },
  {
    name: "both lose power and boot with the links cut, and somebody grants each quorum by hand",
    run: (trouble) => {
      const { world } = trouble;
      for (const { id } of world.machines) world.cutPower(id);
      cutLinks(trouble, 30 * second_us + some_us(trouble));
      for (const { id } of world.machines) {
        world.kernel.after(second_us, () => switchOn(world, id));
        typeWhenUp(trouble, id);
      }
    },
  },
  {
    name: "both lose power, one boots alone, and somebody grants it quorum by hand",
    run: (trouble) => {
      const { world, machine } = trouble;
      for (const { id } of world.machines) world.cutPower(id);
      world.kernel.after(second_us, () => switchOn(world, machine));
      typeWhenUp(trouble, machine);
      onAgain(trouble, 1 - machine, 25 * second_us);
    },
  },
];
