import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import type { RaftWorld } from "./world.ts";

/** What can hit a machine or the wire. The plainest first: shrinking goes that way. */
export const blows = [
  "nothing",
  "kill",
  "power cut",
  "freeze",
  "cut both ways",
  "cut one way",
  "move the leader",
  "stop",
] as const;
export type Blow = (typeof blows)[number];

const what = label("storm.what");
const where = label("storm.where");
const pause = label("storm.pause");
const length = label("storm.length");
const blowLine = traceKind("storm", (blow, machine) => `${blow} (machine ${machine})`);

export interface Storm {
  readonly blows: number;
  readonly pause_us: number;
  readonly length_us: number;
}

/**
 * Blow after blow at random moments, each mended after a while. Everybody restarts plainly from what is on disk: a raft must
 * stand that without the loss of anything.
 */
export function storm(world: RaftWorld, { blows: count, pause_us, length_us }: Storm): void {
  const { kernel } = world;
  const { choices } = kernel;
  const machines = world.machines.length;
  let left = count;
  const next = () => {
    if (left === 0) return;
    left -= 1;
    const blow = blows[choices.pick(what, blows.length)] ?? "nothing";
    const machine = choices.jitter(where, machines);
    kernel.note(blowLine, blow, machine);
    strike(world, blow, machine, choices.jitter(length, length_us));
    kernel.after(choices.jitter(pause, pause_us), next);
  };
  kernel.after(1_500_000 + choices.jitter(pause, pause_us), next);
}

function strike(world: RaftWorld, blow: Blow, machine: number, length_us: number): void {
  const { kernel, wire } = world;
  const other = (machine + 1) % world.machines.length;
  switch (blow) {
    case "nothing":
      return;
    case "kill":
      world.kill(machine);
      kernel.after(length_us, () => restart(world, machine));
      return;
    case "stop":
      world.stop(machine);
      kernel.after(length_us, () => restart(world, machine));
      return;
    case "power cut":
      world.powerCut(machine);
      kernel.after(length_us, () => restart(world, machine));
      return;
    case "freeze": {
      const member = world.running(machine);
      member?.pause();
      kernel.after(length_us, () => member?.resume());
      return;
    }
    case "cut both ways":
      wire.cutBoth(machine, other);
      kernel.after(length_us, () => wire.healBoth(machine, other));
      return;
    case "cut one way":
      wire.cut(machine, other);
      kernel.after(length_us, () => wire.heal(machine, other));
      return;
    case "move the leader": {
      const { leader } = world;
      const to = world.running(machine);
      if (leader !== undefined && to !== undefined && leader !== to)
        leader.requests.moveLeader(to.id, () => undefined);
    }
  }
}

function restart(world: RaftWorld, machine: number): void {
  if (world.waiting(machine)) return;
  world.start(machine, { kind: "restart" });
}
