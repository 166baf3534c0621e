import { empty, type Holding, type Lineage, type Tag } from "../src/decide/facts.ts";
import { isFullVoter, isNewer } from "../src/decide/lineage.ts";
import { holdingsOf, tagOf } from "./agents/facts.ts";
import type { Site } from "./agents/site.ts";
import { witnessOf } from "./agents/witness.ts";
import type { World } from "./world.ts";

/** What is so, whatever anybody has read or heard: for checks and for the admin, never for an agent. */
export interface Truth {
  readonly world: World;
  readonly site: Site;
}

export function holdingOf({ site }: Truth, machine: number): Holding {
  const node = site.nodes[machine];
  if (node === undefined) return empty;
  const { state, log } = holdingsOf(node);
  return { ...empty, ...state, ...log };
}

export const tagsThere = ({ world }: Truth): readonly Tag[] =>
  world.bmcs.map(({ tag }) => tagOf({ status: 200, tag }));

/** What stands there, and what this machine has read there in this boot. */
export const tagsHeardBy = (truth: Truth, machine: number): readonly Lineage[] => [
  ...tagsThere(truth).flatMap((tag) => (tag.kind === "lineage" ? [tag] : [])),
  ...(truth.site.nodes[machine]?.memory.remembered.tags ?? []),
];

/** Does this machine's etcd start from what is there? */
export function canRun({ world }: Truth, machine: number): boolean {
  const unit = world.unit(machine);
  return unit.hindered === undefined && !unit.machine.disk.readOnly && unit.data?.corrupt === false;
}

/** A full voter's data that runs. */
export const isFit = (truth: Truth, machine: number): boolean =>
  isFullVoter(holdingOf(truth, machine)) && canRun(truth, machine);

/** The BMC answers whoever asks it from there. */
export function answers({ world }: Truth, from: number, machine: number): boolean {
  const bmc = world.bmc(machine);
  return bmc.serving && bmc.faults.length === 0 && !bmc.blind && world.management.joined(from, 2 + machine);
}

/** A tag that stands there or was read, above this lineage, that nobody's disk explains away. */
export function claimedAbove(truth: Truth, machine: number): boolean {
  const own = holdingOf(truth, machine);
  const other = holdingOf(truth, 1 - machine);
  // The other's file says that it never served such a thing.
  const denied =
    other.lineage !== undefined && !isNewer(other.lineage, own.lineage) && other.takeover?.step !== "intent";
  return !denied && tagsHeardBy(truth, machine).some((tag) => isNewer(tag, own.lineage));
}

/** Where one disk has forgotten what it held, only the tags can tell: both of them, or nobody can. */
const allTagged = (truth: Truth): boolean =>
  truth.site.nodes.every((node) => witnessOf(node) === "on") &&
  tagsThere(truth).every(({ kind }) => kind === "lineage");

/** With both machines on and joined: could one of them serve the newest data there is, with nobody's help? */
export function someoneCould(truth: Truth): boolean {
  const { world } = truth;
  // One that hangs is not there, whatever it holds.
  if (!world.machines.every(({ up, hung }) => up && !hung) || !world.links[0].joined(0, 1)) return false;
  return [0, 1].some((machine) => {
    const own = holdingOf(truth, machine);
    const other = holdingOf(truth, 1 - machine);
    return (
      isFit(truth, machine) &&
      own.surrendered === undefined &&
      (other.lineage === undefined ? allTagged(truth) : !isNewer(other.lineage, own.lineage)) &&
      !claimedAbove(truth, machine)
    );
  });
}
