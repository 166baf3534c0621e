import { label } from "../kernel/label.ts";
import { breakDisk } from "./disk.ts";
import { later, onAgain, second_us, some_us, type StormFault, switchOn, type Trouble } from "./fault.ts";

const what = label("storm.damage");
const when = label("storm.damage-when");
const learner_us = 300_000;
/** Longer than a stop, so that it is seen to fail; and short enough for the stop to come through. */
const held_us = [90 * second_us, 20 * second_us] as const;
const holds = label("storm.held");
/** Each sync takes that much longer. */
const slower_us = 150_000;

/** etcd finds out when it reads: it ends, and no start works until somebody or something makes the folder anew. */
function damage({ world, machine }: Trouble): void {
  const unit = world.unit(machine);
  const { value } = unit.folder;
  if (value === undefined) return;
  value.corrupt = true;
  // Its log too, or only what etcd makes of it: then duet can still read the log.
  value.unreadable = world.kernel.choices.pick(what, 2) === 1;
  unit.kill();
}

export const etcdFaults: readonly StormFault[] = [
  { name: "etcd is killed", run: ({ world, machine }) => world.unit(machine).kill() },
  {
    name: "etcd is killed on both",
    run: ({ world }) => {
      for (const { id } of world.machines) world.unit(id).kill();
    },
  },
  {
    name: "the disk is slow",
    run: (trouble) => {
      const { disk } = trouble.world.machine(trouble.machine);
      disk.slower_us = slower_us;
      trouble.world.kernel.after(some_us(trouble), () => {
        disk.slower_us = 0;
      });
    },
  },
  {
    name: "Pacemaker finds its resource failed, and starts it again",
    run: ({ world, machine }) => world.pacemaker.controller(machine)?.monitorFailed(),
  },
  {
    name: "the power strip is dead",
    run: (trouble) => {
      const { world } = trouble;
      if (!trouble.site.hasPdu) return;
      world.pdu.serving = false;
      world.kernel.after(some_us(trouble), () => {
        world.pdu.serving = true;
      });
    },
  },
];

/** On one machine the other goes on without it; with both, nobody is left to give anything up for. */
export const damageFaults: readonly StormFault[] = [
  {
    name: "a power cut, and etcd's folder is damaged when the machine is a learner again",
    run: (trouble) => {
      const { world, site, machine } = trouble;
      const spring = (who: number, step: string) => {
        if (who !== machine || step !== "ask for promotion") return;
        site.traps.delete(spring);
        // By then it holds something, and is no voter yet.
        later(trouble, learner_us, () => damage(trouble));
      };
      site.traps.add(spring);
      world.cutPower(machine);
      onAgain(trouble, machine);
    },
  },
  { name: "etcd's folder is damaged", run: damage },
  {
    name: "a disk that does not answer holds etcd: nothing ends it",
    run: ({ world, site, machine }) => {
      const unit = world.unit(machine);
      // It is tried again each minute then, which the rules don't know.
      unit.hold(() => site.nodes[machine]?.noteStart(true));
      const held = held_us[world.kernel.choices.pick(holds, held_us.length)] ?? 0;
      world.kernel.after(held, () => unit.release());
    },
  },
  {
    name: "the file system turns read-only",
    run: ({ world, machine }) => breakDisk(world, machine),
  },
  {
    name: "an orderly shutdown, and the peer's folder of etcd is damaged while the machine leaves",
    run: (trouble) => {
      const { world, site, machine } = trouble;
      const spring = (who: number, step: string) => {
        if (who !== machine || step !== "write that this machine leaves") return;
        site.traps.delete(spring);
        // Before, within or after the removal.
        const delay_us = [5_000, 100_000, second_us, 5 * second_us][world.kernel.choices.pick(when, 4)] ?? 0;
        later(trouble, delay_us, () => damage({ ...trouble, machine: 1 - machine }));
      };
      site.traps.add(spring);
      world.machine(machine).shutdown();
      world.kernel.after(60 * second_us, () => switchOn(world, machine));
    },
  },
  {
    name: "etcd's folders are damaged on both",
    run: (trouble) => {
      damage(trouble);
      later(trouble, 20 * second_us, () => damage({ ...trouble, machine: 1 - trouble.machine }));
    },
  },
  {
    name: "etcd's folder is damaged, and the peer loses its power",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.cutPower(1 - machine);
      later(trouble, some_us(trouble), () => damage(trouble));
    },
  },
];
