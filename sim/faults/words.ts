import { no_word } from "../../src/decide/facts.ts";
import { confirmDown } from "../agents/confirm.ts";
import { wake } from "../agents/etcd.ts";
import { membershipOf } from "../agents/facts.ts";
import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import { setFor } from "./bmc.ts";
import { cutLinks, later, second_us, some_us, type StormFault, type Trouble } from "./fault.ts";

const whose = label("storm.word");
const byCommand = label("storm.word-how");
const isSlowToo = label("storm.word-slow");
const wrongLine = traceKind(
  "storm.wrong",
  (machine) => `an admin on ${machine} confirms that its peer is down, and has not looked`,
);

/** `duet confirm-peer-down` where nobody has looked. No loss is accepted with it: who does that answers for two histories himself. */
function wrongWord({ site }: Trouble, machine: number): void {
  const node = site.nodes[machine];
  if (node === undefined || !node.world.machine(machine).up) return;
  const { ring, peer } = membershipOf(node);
  const isSpoken = node.memory.spoken?.ring === ring;
  if (peer || isSpoken) return;
  node.world.kernel.note(wrongLine, node.name);
  if (node.world.kernel.choices.pick(byCommand, 2) === 0) {
    confirmDown(node, undefined, { said: () => undefined });
    return;
  }
  // As if the command had a mistake: the rules alone have to stand it.
  node.memory.spoken = { word: { ...no_word, peerDown: true }, ring };
  wake(node);
}

/** On one of the two, or on both in the same second. */
const wrongWords = (trouble: Trouble): void => {
  const { machine, world } = trouble;
  wrongWord(trouble, machine);
  if (world.kernel.choices.pick(whose, 2) === 1) wrongWord(trouble, 1 - machine);
};

/** What a machine does not reach when the two halves of a management wire are apart: the peer's BMC, and the power strip. */
const beyond = (id: number): readonly number[] => [2 + 1 - id, 4];

export const eachItsOwnBmc =
  "each machine reaches only its own BMC, and an admin takes the other machine for dead";

/** People who say that a machine is down which lives. A word without more must do no harm. */
export const wordFaults: readonly StormFault[] = [
  {
    name: "both links are cut, and an admin takes the other machine for dead",
    run: (trouble) => {
      cutLinks(trouble, some_us(trouble));
      later(trouble, 2.5 * second_us, () => wrongWords(trouble));
    },
  },
  {
    name: eachItsOwnBmc,
    run: (trouble) => {
      const { world } = trouble;
      const long_us = 30 * second_us;
      for (const { id } of world.machines) for (const end of beyond(id)) world.management.cutBoth(id, end);
      world.kernel.after(long_us, () => {
        for (const { id } of world.machines) for (const end of beyond(id)) world.management.healBoth(id, end);
      });
      cutLinks(trouble, long_us);
      later(trouble, 5 * second_us, () => wrongWords(trouble));
    },
  },
];

/** Slower than a second tag is waited for where it is not needed. */
const slow_s = 0.5;

export const neitherSeesItsMachine =
  "no BMC sees its machine, both links are cut, and admins take the machines for dead";

/** For sites without a power strip, by which one of the two would be switched off. */
export const unseenFaults: readonly StormFault[] = [
  {
    name: neitherSeesItsMachine,
    run: (trouble) => {
      const { world } = trouble;
      const long_us = 30 * second_us;
      const isSlow = world.kernel.choices.pick(isSlowToo, 2) === 0;
      for (const { id } of world.machines) {
        setFor({ ...trouble, machine: id }, { kind: "no-power-state" }, long_us);
        if (isSlow) setFor({ ...trouble, machine: id }, { kind: "slow", seconds: slow_s }, long_us);
      }
      cutLinks(trouble, long_us);
      later(trouble, 5 * second_us, () => wrongWords(trouble));
    },
  },
];
