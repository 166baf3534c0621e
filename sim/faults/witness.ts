import { agreed, saysOf } from "../agents/witness.ts";
import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import { later, second_us, type StormFault, type Trouble } from "./fault.ts";
import { once, thenTheOther } from "./sequences.ts";

const pause = label("storm.edit");
const editLine = traceKind(
  "storm.witness",
  (machine, says) => `the site file of machine ${machine} says \`witness: ${says}\` from now on`,
);

const saysNow = ({ site }: Trouble, machine: number): "on" | "off" => {
  const node = site.nodes[machine];
  return node === undefined ? "on" : saysOf(node);
};

function edit({ world, site }: Trouble, machine: number, says: "on" | "off"): void {
  site.edited[machine === 0 ? 0 : 1] = says;
  world.kernel.note(editLine, machine, says);
}

const other = (says: "on" | "off"): "on" | "off" => (says === "on" ? "off" : "on");

/** Names that plants know. */
export const witnessEdited = "somebody changes `witness:` on one machine";
export const witnessBack =
  "with no witness one is lost, the other serves and is lost, and the first comes back alone, with a witness again";

/** At any time, whatever the other machine says, and whether it is there. */
export const witnessFaults: readonly StormFault[] = [
  {
    name: witnessEdited,
    run: (trouble) => edit(trouble, trouble.machine, other(saysNow(trouble, trouble.machine))),
  },
  {
    name: "somebody changes `witness:` on one machine, and then on the other",
    run: (trouble) => {
      const { world, machine } = trouble;
      const says = other(saysNow(trouble, machine));
      const pause_us = [0, 1, 5, 40][world.kernel.choices.pick(pause, 4)] ?? 0;
      edit(trouble, machine, says);
      later(trouble, pause_us * second_us, () => edit(trouble, 1 - machine, says));
    },
  },
  {
    name: witnessBack,
    lasts_us: 90 * second_us,
    run: (trouble) => {
      const { world, site, machine } = trouble;
      for (const { id } of world.machines) edit(trouble, id, "off");
      const areAgreed = () => site.nodes.every((node) => agreed(node) === "off");
      once(world, areAgreed, () => {
        world.cutPower(machine);
        thenTheOther(trouble, () => edit(trouble, machine, "on"));
      });
    },
  },
];
