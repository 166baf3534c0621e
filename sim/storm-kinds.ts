import { aloneFaults, claimFaults } from "./faults/alone.ts";
import { blindFaults, bmcFaults, tagFaults } from "./faults/bmc.ts";
import { commandFaults } from "./faults/commands.ts";
import { contentFaults } from "./faults/content.ts";
import { diskFaults } from "./faults/disk.ts";
import { damageFaults, etcdFaults } from "./faults/etcd.ts";
import type { StormFault } from "./faults/fault.ts";
import { plannedFaults } from "./faults/planned.ts";
import { powerFaults } from "./faults/power.ts";
import { sequenceFaults } from "./faults/sequences.ts";
import { raiseFaults, stepFaults } from "./faults/steps.ts";
import { wireFaults } from "./faults/wires.ts";
import { witnessFaults } from "./faults/witness.ts";
import { unseenFaults, wordFaults } from "./faults/words.ts";

/** What may come in a storm, and what a person may be needed for in it. */
export interface StormKind {
  readonly name: string;
  readonly faults: readonly StormFault[];
  readonly witness: "on" | "off";
  readonly hasPdu: boolean;
  /** Nothing is lost here for which a machine may call a person once the faults are over. */
  readonly heals: boolean;
  /** An admin does what machines ask for while the faults go on. */
  readonly hasty: boolean;
  /** At the end one machine stays dark, with its BMC or without, until the other was helped. */
  readonly outlasts: boolean;
}

const common: readonly StormFault[] = [
  ...powerFaults,
  ...wireFaults,
  ...bmcFaults,
  ...etcdFaults,
  ...contentFaults,
  ...stepFaults,
  ...sequenceFaults,
  ...wordFaults,
  ...commandFaults,
  ...plannedFaults,
];

/** What loses data comes often enough to be met twice in a storm. */
const lossy: readonly StormFault[] = [
  ...diskFaults,
  ...diskFaults,
  ...damageFaults,
  ...claimFaults,
  ...tagFaults,
  ...tagFaults,
  ...common,
];

const plain: StormKind = {
  name: "plain",
  faults: common,
  witness: "on",
  hasPdu: true,
  heals: true,
  hasty: false,
  outlasts: false,
};

/** A list in which every sixth or so is one of these. */
const often = (few: readonly StormFault[]): readonly StormFault[] =>
  Array.from({ length: 12 }, () => few).flat();

/** Nearly half of all storms are plain ones. */
export const stormKinds: readonly StormKind[] = [
  plain,
  plain,
  plain,
  plain,
  plain,
  { ...plain, name: "disks and tags are lost", faults: lossy, heals: false },
  {
    ...plain,
    name: "disks and tags are lost, with a hasty admin",
    faults: lossy,
    heals: false,
    hasty: true,
    hasPdu: false,
  },
  {
    ...plain,
    name: "no witness, with a hasty admin",
    faults: [...often([...aloneFaults, ...raiseFaults]), ...tagFaults, ...common],
    witness: "off",
    hasPdu: false,
    heals: false,
    hasty: true,
  },
  {
    ...plain,
    name: "no power strip",
    hasPdu: false,
    faults: [...powerFaults, ...tagFaults, ...blindFaults, ...unseenFaults, ...common],
  },
  {
    ...plain,
    name: "one stays dark",
    hasPdu: false,
    faults: [...blindFaults, ...common],
    heals: false,
    outlasts: true,
  },
  {
    ...plain,
    name: "the witness is changed",
    faults: [...often(witnessFaults), ...sequenceFaults, ...common],
    heals: false,
  },
];
