import type { Check } from "./checks.ts";
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
    const looks = [0, 1].map(() => ({ folder: etcd[0].folder.value, aside: 0, powered: false, boot: 0 }));
    let armed = true;
    const isSame = (at: 0 | 1): boolean => {
      const last = looks[at];
      const { folder, aside } = etcd[at];
      return (
        last?.folder === folder.value && last?.aside === aside.length && last.powered === machines[at].powered
      );
    };
    kernel.afterEvent.push(() => {
      if (isSame(0) && isSame(1)) return;
      let lost = false;
      for (const [at, last] of looks.entries()) {
        const { folder, aside } = etcd[at === 0 ? 0 : 1];
        const { powered, boot } = machines[at === 0 ? 0 : 1];
        if (isSame(at === 0 ? 0 : 1)) continue;
        const away = (!last.powered && !powered) || boot !== last.boot;
        lost ||= away && folder.value !== last.folder;
        looks[at] = { folder: folder.value, aside: aside.length, powered, boot };
      }
      if (lost) armed = false;
      if (!armed || history.acknowledged === 0) return;
      if (!copies(world).some((folder) => history.missing(written(folder)).length === 0))
        kernel.fail("both copies gone", "no disk holds all that was acknowledged");
    });
  },
};

/** Those in use first: mostly one of them is whole. */
const copies = ({ etcd }: World): readonly DataFolder[] => [
  ...etcd.flatMap(({ folder }) => folder.value ?? []),
  ...etcd.flatMap(({ aside }) => aside),
];

/** Every write that the folder holds, in its database, its newest snapshot or its log. */
function written({ wal, snapshots, backend }: DataFolder): readonly number[] {
  const { entries, snapshot } = wal.replay(snapshots);
  return [
    ...backend.store.values.slice(0, backend.length),
    ...(snapshot?.store?.values ?? []),
    ...entries.flatMap(({ kind, value }) => (kind === "put" ? [value] : [])),
  ];
}
