import { type Accepted, no_word } from "../../src/decide/facts.ts";
import { confirmDown } from "../agents/confirm.ts";
import { wake } from "../agents/etcd.ts";
import { membershipOf } from "../agents/facts.ts";
import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import { tagsThere } from "../truth.ts";
import { setFor } from "./bmc.ts";
import { cutLinks, later, second_us, some_us, type StormFault, type Trouble } from "./fault.ts";

const whose = label("storm.word");
const byCommand = label("storm.word-how");
const moment = label("storm.word-when");
const which = label("storm.word-at-step");
const accepts = label("storm.word-accepts");
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

/** Some time after the links are cut: on one of the two, or on both in the same second. */
function wrongWords(trouble: Trouble, delay_us: number): void {
  const { choices } = trouble.world.kernel;
  later(trouble, delay_us + choices.jitter(moment, late_us), () => {
    const { machine } = trouble;
    wrongWord(trouble, machine);
    if (choices.pick(whose, 2) === 1)
      later(trouble, choices.jitter(moment, second_us), () => wrongWord(trouble, 1 - machine));
  });
}
const late_us = 2 * second_us;

/**
 * In the middle of anything, on the machine that is at it or on the other. A loss is accepted where the storm has somebody for that, and
 * the peer is off: all that an admin can name, whether anybody asked for it or not.
 */
export function wordAt(trouble: Trouble, who: number): void {
  const { site, world } = trouble;
  const { choices } = world.kernel;
  const machine = choices.pick(which, 2) === 0 ? who : 1 - who;
  const { acceptLoss } = site;
  const accept = acceptLoss === undefined ? undefined : acceptable(trouble)[choices.pick(accepts, 4) - 1];
  if (accept === undefined) wrongWord(trouble, machine);
  else acceptLoss?.(machine, accept);
}

/** The newest epoch that a tag or a disk names, what nobody knows, or both. */
function acceptable({ site, world }: Trouble): readonly Accepted[] {
  const tags = tagsThere({ world, site }).map((tag) => (tag.kind === "lineage" ? tag.epoch : 0));
  const epoch = Math.max(...tags, ...site.nodes.map(({ state }) => state.value.lineage?.epoch ?? 0));
  return ["unknown", epoch, `${epoch},unknown`];
}

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
      wrongWords(trouble, 2.5 * second_us);
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
      wrongWords(trouble, 5 * second_us);
    },
  },
];

/** Slower than a second tag is waited for where it is not needed; or than a look waits for any, and a takeover does not mind. */
const slow_s = [0.5, 4] as const;

export const neitherSeesItsMachine =
  "no BMC sees its machine, both links are cut, and admins take the machines for dead";

/** For sites without a power strip, by which one of the two would be switched off. */
export const unseenFaults: readonly StormFault[] = [
  {
    name: neitherSeesItsMachine,
    run: (trouble) => {
      const { world } = trouble;
      const long_us = 30 * second_us;
      const seconds = slow_s[world.kernel.choices.pick(isSlowToo, 3)];
      for (const { id } of world.machines) {
        setFor({ ...trouble, machine: id }, { kind: "no-power-state" }, long_us);
        if (seconds !== undefined)
          setFor({ ...trouble, machine: id }, { kind: "slow", seconds }, 3 * long_us);
      }
      cutLinks(trouble, long_us);
      wrongWords(trouble, 5 * second_us);
    },
  },
];
