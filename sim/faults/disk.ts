import { nothing_said } from "../../src/agents/hands/witness-agreed.ts";
import type { Site } from "../agents/site.ts";
import { noState, tornState } from "../agents/state.ts";
import { nothing_seen } from "../agents/witness.ts";
import type { EtcdUnit } from "../etcd-unit.ts";
import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import type { World } from "../world.ts";
import { later, onAgain, second_us, type StormFault, type Trouble } from "./fault.ts";

const part = label("storm.lost-part");
const lostLine = traceKind("storm.disk", (machine, what) => `machine ${machine} has lost ${what}`);

const parts = [
  "everything",
  "etcd's data",
  "duet's file",
  "a part of duet's file",
  "the end of etcd's log",
] as const;
export type Part = (typeof parts)[number];
const own: ReadonlySet<Part> = new Set(["duet's file", "a part of duet's file"]);

/** etcd ends at its next write, and does not start again. */
export function breakDisk(world: World, machine: number): void {
  world.machine(machine).disk.readOnly = world.machine(machine).up;
  world.unit(machine).kill();
}

/** The machine is off: a new disk, or files that are gone. */
export function loseDisk(world: World, site: Site, machine: number, lost: Part): void {
  const unit = world.unit(machine);
  world.kernel.note(lostLine, machine, lost);
  if (!own.has(lost)) world.history.diskLost(machine);
  if (lost === "the end of etcd's log") {
    loseTail(unit);
    return;
  }
  if (!own.has(lost)) {
    unit.folder.write(undefined);
    unit.staged.write(undefined);
    unit.staged.sync();
    unit.folder.sync();
    unit.mask(false);
  }
  const node = site.nodes[machine];
  if (lost === "everything") {
    node?.seen.write(nothing_seen);
    node?.seen.sync();
    // Of a site that nobody has changed a new machine is set up as the old one was.
    node?.told.write(site.edited.every((each) => each === undefined) ? undefined : nothing_said);
    node?.told.sync();
  }
  const state = node?.state;
  if (lost === "etcd's data" || state === undefined) return;
  state.write(lost === "a part of duet's file" ? tornState : noState);
  state.sync();
}

/**
 * Only so much that the database shows it: a disk that loses what was synced, and with it every trace, is assumed not to be
 * (design 3). No log without at least one entry is made.
 */
function loseTail({ folder: cell, machine: { disk } }: EtcdUnit): void {
  const folder = cell.value?.clone();
  if (folder === undefined) return;
  const { records } = folder.wal;
  const first = records.findIndex(
    (record) => record.kind === "entry" && record.entry.index >= folder.backend.consistent_index,
  );
  const snapshot = folder.wal.validSnapshot(folder.snapshots)?.index ?? 0;
  if (first <= 0 || snapshot >= folder.backend.consistent_index - 1) return;
  folder.wal.loseFrom(first);
  disk.attach(folder);
  cell.write(folder);
  cell.sync();
}

const pickPart = ({ world: { kernel } }: Trouble): Part =>
  parts[kernel.choices.pick(part, parts.length)] ?? "everything";

function lose(trouble: Trouble, machine: number): void {
  const lost = pickPart(trouble);
  trouble.world.cutPower(machine);
  trouble.world.kernel.after(second_us, () => {
    if (!trouble.world.machine(machine).powered) loseDisk(trouble.world, trouble.site, machine, lost);
  });
  onAgain(trouble, machine, second_us);
}

/** For storms that may lose what only one machine held. */
export const diskFaults: readonly StormFault[] = [
  { name: "a power cut, and the machine's disk is lost", run: (trouble) => lose(trouble, trouble.machine) },
  {
    name: "one loses its power; the other serves alone, and loses its disk",
    run: (trouble) => {
      const { world, machine } = trouble;
      world.cutPower(1 - machine);
      later(trouble, 25 * second_us, () => {
        lose(trouble, machine);
        // Nobody may be on again before: it would be told.
        world.cutPower(1 - machine);
        onAgain(trouble, 1 - machine, 2 * second_us);
      });
    },
  },
  {
    name: "both disks are lost",
    run: (trouble) => {
      for (const { id } of trouble.world.machines) lose(trouble, id);
    },
  },
];
