import { label } from "../kernel/label.ts";
import { aloneFaults } from "./alone.ts";
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
import { wordAt } from "./words.ts";

const whichStep = label("storm.step");
const whichStrike = label("storm.strike");
const moment = label("storm.moment");

/** The names by which the step machines of src/act announce what they do next, by what sets them off. */
const takeover = [
  "write the intent",
  "write the tag of the own BMC",
  "write the tag of the peer's BMC",
  "write that it may have served",
  "stop etcd",
  "keep the log as it is",
  "commit the log",
  "set the force flag",
  "start etcd",
  "read the members",
  "drop the force flag",
  "write that the takeover is finished",
  "tell the peer's side",
  "power the peer on",
] as const;
const rejoin = [
  "stop etcd",
  "write that this machine is not full",
  "move the data aside",
  "write whose data this will be",
  "be added as a learner",
  "let etcd start",
  "start etcd",
  "ask for promotion",
  "see this voter in the leader's list",
  "write the marker",
  "write that this machine is full",
  "tell the peer",
  "let nobody start etcd",
  "write that the data is given up",
  "write that it is back",
  "end what is left of etcd",
  "drop a force flag that was left",
  "sync the log",
] as const;
const leave = [
  "say that this machine leaves",
  "write that this machine leaves",
  "move the leader to the peer",
  "be removed through the peer",
  "see the peer as the only voter",
  "stop etcd",
  "say that this machine has left",
] as const;
const loneStart = [
  "wait for this machine's turn",
  "wait this machine's fence delay",
  "command the peer's Off by its BMC",
  "read that the peer is off",
  "note that Off is proven",
  "ask for quorum",
  "see that there is quorum",
] as const;
const settle = [
  "write the new turn in the race",
  "write that the intent is given up",
  "write which tags stand for nothing",
] as const;

const raise = [
  "see whether the revisions are raised",
  "read the members",
  "stop etcd in order",
  "raise the revisions beside the data",
  "put the raised data in its place",
  "write that the revisions are raised",
  "sync the log",
] as const;

/** For the test that looks whether a step's name still exists. */
export const stepNames: readonly string[] = [
  ...takeover,
  ...rejoin,
  ...leave,
  ...loneStart,
  ...settle,
  ...raise,
];

/** What happens in that moment to `who`, which has just announced the step. */
type Strike = (trouble: Trouble, who: number) => void;

const strikes: readonly Strike[] = [
  (trouble, who) => {
    trouble.world.cutPower(who);
    onAgain(trouble, who);
  },
  (trouble, who) => {
    trouble.world.cutPower(1 - who);
    onAgain(trouble, 1 - who);
  },
  (trouble) => {
    for (const { id } of trouble.world.machines) {
      trouble.world.cutPower(id);
      onAgain(trouble, id);
    }
  },
  (trouble) => cutLinks(trouble, some_us(trouble)),
  (trouble, who) => {
    const { world } = trouble;
    world.management.port(who, false);
    world.kernel.after(some_us(trouble), () => world.management.port(who, true));
  },
  ({ world }, who) => world.unit(who).kill(),
  ({ world }, who) => {
    world.machine(who).shutdown();
    world.kernel.after(40 * second_us, () => switchOn(world, who));
  },
  wordAt,
];

/** Before the step, in it (a sync takes milliseconds, a BMC's answer a tenth of a second), or when it is done. */
const moments_us = [0, 1_000, 60_000, 400_000, 2_500_000];

function strikeAt(trouble: Trouble, step: string): void {
  const { world, site } = trouble;
  const { kernel } = world;
  const strike = strikes[kernel.choices.pick(whichStrike, strikes.length)];
  const delay_us = moments_us[kernel.choices.pick(moment, moments_us.length)] ?? 0;
  const listen = (who: number, said: string) => {
    if (said !== step || strike === undefined) return;
    site.traps.delete(listen);
    if (delay_us === 0) strike(trouble, who);
    else later(trouble, delay_us, () => strike(trouble, who));
  };
  site.traps.add(listen);
}

/** A trap is set at a step, and then the machines are led there. */
const trap = (name: string, steps: readonly string[], lead: (trouble: Trouble) => void): StormFault => ({
  name: `${name}, and something breaks at a step of that`,
  run: (trouble) => {
    strikeAt(trouble, steps[trouble.world.kernel.choices.pick(whichStep, steps.length)] ?? "");
    lead(trouble);
  },
});

/** An accepted loss comes of it where somebody is there to accept it. */
export const raiseFaults: readonly StormFault[] = aloneFaults.map(({ name, lasts_us, run }) => ({
  ...trap(name, raise, run),
  ...(lasts_us === undefined ? {} : { lasts_us }),
}));

const cutPeer = (trouble: Trouble): void => {
  trouble.world.cutPower(1 - trouble.machine);
  onAgain(trouble, 1 - trouble.machine, 20 * second_us);
};

export const stepFaults: readonly StormFault[] = [
  trap("the peer loses its power", takeover, cutPeer),
  trap("the links are cut", takeover, (trouble) => cutLinks(trouble, 30 * second_us)),
  trap("the machine loses its power, and is back", rejoin, (trouble) => {
    trouble.world.cutPower(trouble.machine);
    onAgain(trouble, trouble.machine);
  }),
  trap("the machine is shut down, and is back", [...leave, ...rejoin], ({ world, machine }) => {
    world.machine(machine).shutdown();
    world.kernel.after(45 * second_us, () => switchOn(world, machine));
  }),
  trap("both lose power, one boots alone", [...loneStart, ...takeover], (trouble) => {
    const { world, machine } = trouble;
    for (const { id } of world.machines) world.cutPower(id);
    world.kernel.after(second_us, () => world.machine(machine).powerOn());
    onAgain(trouble, 1 - machine, 25 * second_us);
  }),
  trap("a takeover is meant while the wire comes back", settle, (trouble) => {
    cutLinks(trouble, 3 * second_us);
  }),
];
