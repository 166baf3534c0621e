import { label } from "../kernel/label.ts";
import { later, onAgain, second_us, some_us, type StormFault, type Trouble } from "./fault.ts";

const when = label("storm.standby-when");
const how = label("storm.standby-end");

/** In the middle of the leave, or after it. */
const leave_us = ({ world: { kernel } }: Trouble): number =>
  ([0.1, 0.6, 2, 10][kernel.choices.pick(when, 4)] ?? 2) * second_us;

function maintain(trouble: Trouble): void {
  const { world } = trouble;
  world.pacemaker.maintenance(true);
  later(trouble, some_us(trouble) + 5 * second_us, () => world.pacemaker.maintenance(false));
}

/** `duet standby`, and off it again. */
function standBy(trouble: Trouble, machine: number, more_us = 0): void {
  const { world } = trouble;
  world.pacemaker.standby(machine, true);
  later(trouble, some_us(trouble) + more_us, () => world.pacemaker.standby(machine, false));
}

/** Work that somebody planned, and what comes in the middle of it. */
export const plannedFaults: readonly StormFault[] = [
  { name: "maintenance for some time", run: maintain },
  {
    name: "a power cut in maintenance",
    run: (trouble) => {
      maintain(trouble);
      later(trouble, 2 * second_us, () => trouble.world.cutPower(trouble.machine));
    },
  },
  {
    name: "a shutdown in maintenance: Pacemaker stops nothing, and nobody leaves",
    run: (trouble) => {
      maintain(trouble);
      later(trouble, 2 * second_us, () => trouble.world.machine(trouble.machine).shutdown());
    },
  },
  { name: "the machine is on standby for some time", run: (trouble) => standBy(trouble, trouble.machine) },
  {
    name: "the machine is on standby, and the peer loses its power and comes back",
    run: (trouble) => {
      const { world, machine } = trouble;
      standBy(trouble, machine, 20 * second_us);
      later(trouble, leave_us(trouble), () => {
        world.cutPower(1 - machine);
        onAgain(trouble, 1 - machine);
      });
    },
  },
  {
    name: "the machine is on standby, loses its power or is shut down, and comes back so",
    run: (trouble) => {
      const { world, machine } = trouble;
      standBy(trouble, machine, 20 * second_us);
      later(trouble, leave_us(trouble), () => {
        if (world.kernel.choices.pick(how, 2) === 0) world.cutPower(machine);
        else world.machine(machine).shutdown();
        onAgain(trouble, machine);
      });
    },
  },
  {
    name: "both machines are put on standby, one after the other, by force",
    run: (trouble) => {
      const { machine } = trouble;
      standBy(trouble, machine);
      later(trouble, leave_us(trouble), () => standBy(trouble, 1 - machine));
    },
  },
];
