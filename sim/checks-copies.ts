import type { Check } from "./checks.ts";
import type { EtcdUnit } from "./etcd-unit.ts";
import type { Machine } from "./machine.ts";
import type { DataFolder } from "./raft/data.ts";
import type { World } from "./world.ts";

/**
 * Looked at when a folder comes or goes, and when a machine gets or loses its power. What goes from a machine that is off was
 * taken by nature: from then on this says nothing.
 */
export const bothCopiesGone: Check = {
  name: "both copies gone",
  sentence: "at every moment one disk holds all that was acknowledged, in use or moved aside",
  watch: (world) => {
    const { etcd, machines, history, kernel } = world;
    const one = new Look(etcd[0], machines[0]);
    const other = new Look(etcd[1], machines[1]);
    let armed = true;
    kernel.afterEvent.push(() => {
      if (one.isSame() && other.isSame()) return;
      const lost = [one, other].map((look) => look.again());
      if (lost.includes(true)) armed = false;
      if (!armed || history.acknowledged === 0) return;
      if (!copies(world).some((folder) => history.missing(written(folder)).length === 0))
        kernel.fail("both copies gone", "no disk holds all that was acknowledged");
    });
  },
};

/** What was seen of one machine. */
class Look {
  readonly #unit: EtcdUnit;
  readonly #machine: Machine;
  #folder: DataFolder | undefined;
  #aside = 0;
  #powered = false;
  #boot = 0;

  constructor(unit: EtcdUnit, machine: Machine) {
    this.#unit = unit;
    this.#machine = machine;
    this.#folder = unit.data;
  }

  isSame(): boolean {
    return (
      this.#folder === this.#unit.data &&
      this.#aside === this.#unit.aside.length &&
      this.#powered === this.#machine.powered
    );
  }

  /** True: its data went while it was off. */
  again(): boolean {
    if (this.isSame()) return false;
    const { data, aside } = this.#unit;
    const { powered, boot } = this.#machine;
    const away = (!this.#powered && !powered) || boot !== this.#boot;
    const lost = away && data !== this.#folder;
    this.#folder = data;
    this.#aside = aside.length;
    this.#powered = powered;
    this.#boot = boot;
    return lost;
  }
}

/** Those in use first: mostly one of them is whole. */
const copies = ({ etcd }: World): readonly DataFolder[] => [
  ...etcd.flatMap(({ data }) => data ?? []),
  ...etcd.flatMap(({ aside }) => aside),
];

/** Every write that the folder holds, in its database, its newest snapshot or its log. */
function written({ wal, snapshots, backend }: DataFolder): readonly number[] {
  const { entries, snapshot } = wal.replay(snapshots);
  const found = backend.store.values.slice(0, backend.length);
  if (snapshot?.store !== undefined) found.push(...snapshot.store.values);
  for (const { kind, value } of entries) if (kind === "put") found.push(value);
  return found;
}
