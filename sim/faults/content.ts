import { burst } from "../clients.ts";
import { label } from "../kernel/label.ts";
import type { ConfKind } from "../raft/types.ts";
import type { Tap } from "../wire.ts";
import type { World } from "../world.ts";
import { onAgain, second_us, some_us, type StormFault, switchOn, type Trouble } from "./fault.ts";

/** A message takes less, with the other's sync it takes more. */
const arrival_us = 500;
const long_us = 30 * second_us;
const side = label("storm.side");
const which = label("storm.message");
/** A takeover and a rejoin take fewer. */
const messages_max = 300;

/** Is the newest entry of this message such a change? Older ones come with every new copy. */
export function carries(message: unknown, kind: ConfKind): boolean {
  if (typeof message !== "object" || message === null || !("entries" in message)) return false;
  if (!Array.isArray(message.entries)) return false;
  const last: unknown = message.entries.at(-1);
  if (typeof last !== "object" || last === null || !("change" in last)) return false;
  const { change } = last;
  return typeof change === "object" && change !== null && "kind" in change && change.kind === kind;
}

/** Many writes in a few milliseconds. */
const many = { clients: 40, operations: 80, reads_percent: 0, pause_us: 2_000 };

type Sign = (to: number, message: unknown) => boolean;

/** Both links go when this message is on its way; what comes behind it, and its answer, does not arrive. */
function cutAt(world: World, sign: Sign): void {
  const [first, second] = world.links;
  const tap: Tap = (_, to, message) => {
    if (!sign(to, message)) return "pass";
    first.tap = undefined;
    second.cutBoth(0, 1);
    burst(world, many);
    // It arrives, and its answer does not.
    world.kernel.after(arrival_us, () => first.cutBoth(0, 1));
    world.kernel.after(long_us, () => {
      for (const link of world.links) link.healBoth(0, 1);
    });
    return "pass";
  };
  first.tap = tap;
}

/** The same moment, but a machine goes: the one that sends it, or the one that gets it. */
function dieAt(trouble: Trouble, sign: Sign): void {
  const { world } = trouble;
  const [first] = world.links;
  const receiver = world.kernel.choices.pick(side, 2) === 0;
  const tap: Tap = (from, to, message) => {
    if (!sign(to, message)) return "pass";
    first.tap = undefined;
    burst(world, many);
    const victim = receiver ? to : from;
    world.kernel.after(arrival_us, () => world.cutPower(victim));
    onAgain(trouble, victim);
    return "pass";
  };
  first.tap = tap;
}

/** Any message at all, counted from now: a step between two of them that nobody thought of. */
function nth(world: World): Sign {
  let left = 1 + world.kernel.choices.pick(which, messages_max);
  return () => {
    left -= 1;
    return left === 0;
  };
}

const isTag = (message: unknown): boolean =>
  typeof message === "object" && message !== null && "kind" in message && message.kind === "tag";

/** A tag is on its way to a BMC: the request is lost, or its answer. */
function cutAtTag({ world }: Trouble, verdict: "cut before" | "cut after"): void {
  const wire = world.management;
  const tap: Tap = (from, to, message) => {
    if (!isTag(message)) return "pass";
    wire.tap = undefined;
    world.kernel.after(long_us, () => wire.healBoth(from, to));
    return verdict;
  };
  wire.tap = tap;
}

/** The tag is written, and its writer is gone before it hears of that. */
function dieAtTag(trouble: Trouble): void {
  const { world } = trouble;
  const wire = world.management;
  const tap: Tap = (from, _, message) => {
    if (!isTag(message)) return "pass";
    wire.tap = undefined;
    world.kernel.after(arrival_us, () => world.cutPower(from));
    onAgain(trouble, from);
    return "pass";
  };
  wire.tap = tap;
}

const cycle = (trouble: Trouble): void => {
  trouble.world.cutPower(trouble.machine);
  onAgain(trouble, trouble.machine);
};

/** Its etcd runs again: from there on the messages count. */
function whenBack({ world, site, machine }: Trouble, then: () => void): void {
  const { boot } = world.machine(machine);
  const isBack = () => world.machine(machine).boot > boot && world.unit(machine).running !== undefined;
  world.kernel.once(
    () => site.faultsOver || isBack(),
    () => {
      if (!site.faultsOver) then();
    },
  );
}

const losePeer = (trouble: Trouble): void => {
  trouble.world.cutPower(1 - trouble.machine);
  onAgain(trouble, 1 - trouble.machine, 15 * second_us);
};

const leave = ({ world, machine }: Trouble): void => {
  world.machine(machine).shutdown();
  world.kernel.after(60 * second_us, () => switchOn(world, machine));
};

/** Faults that wait for a certain message. */
export const contentFaults: readonly StormFault[] = [
  {
    name: "a power cut, and the wire breaks when the machine is to become a voter again",
    run: (trouble) => {
      // Behind the promotion the leader still answers alone.
      cutAt(trouble.world, (_, message) => carries(message, "promote"));
      cycle(trouble);
    },
  },
  {
    name: "a power cut, and the wire breaks while the machine is a learner",
    run: (trouble) => {
      cutAt(trouble.world, (to) => trouble.world.unit(to).running?.isLearner === true);
      cycle(trouble);
    },
  },
  {
    name: "a power cut, and another when the machine is to become a voter again",
    run: (trouble) => {
      dieAt(trouble, (_, message) => carries(message, "promote"));
      cycle(trouble);
    },
  },
  {
    name: "a power cut, and the wire breaks at some message when the machine is back",
    run: (trouble) => {
      cycle(trouble);
      whenBack(trouble, () => cutAt(trouble.world, nth(trouble.world)));
    },
  },
  {
    name: "a power cut, and another at some message when the machine is back",
    run: (trouble) => {
      cycle(trouble);
      whenBack(trouble, () => dieAt(trouble, nth(trouble.world)));
    },
  },
  {
    name: "an orderly shutdown, and the wire breaks at the removal",
    run: (trouble) => {
      cutAt(trouble.world, (_, message) => carries(message, "remove"));
      leave(trouble);
    },
  },
  {
    name: "an orderly shutdown, and a power cut at the removal",
    run: (trouble) => {
      dieAt(trouble, (_, message) => carries(message, "remove"));
      leave(trouble);
    },
  },
  {
    name: "the peer loses its power, and a tag does not reach its BMC",
    run: (trouble) => {
      cutAtTag(trouble, "cut before");
      losePeer(trouble);
    },
  },
  {
    name: "the peer loses its power, and a BMC's answer to a tag is lost",
    run: (trouble) => {
      cutAtTag(trouble, "cut after");
      losePeer(trouble);
    },
  },
  {
    name: "the peer loses its power, and the machine too when its tag is written",
    run: (trouble) => {
      dieAtTag(trouble);
      losePeer(trouble);
    },
  },
  {
    name: "the links are cut, and come back when a tag is written",
    run: (trouble) => {
      const { world } = trouble;
      for (const link of world.links) link.cutBoth(0, 1);
      const heal = () => {
        for (const link of world.links) link.healBoth(0, 1);
      };
      const tap: Tap = (_, __, message) => {
        if (!isTag(message)) return "pass";
        world.management.tap = undefined;
        heal();
        return "pass";
      };
      world.management.tap = tap;
      world.kernel.after(some_us(trouble), heal);
    },
  },
];
