import { raiseOf } from "../../src/decide/lineage.ts";
import { DataFolder } from "./data.ts";
import { noMembership } from "./types.ts";

/** Member ids are used once, and so are the clusters that are numbered by them: from here on, beyond the first one's. */
const raised_clusters = 1_000;

/**
 * What `etcdutl snapshot restore --bump-revision --mark-compacted` makes of a database: the same writes, in a cluster of its own with a
 * new log, at revisions that nobody has seen.
 */
export function raisedCopy(data: DataFolder, member: number, machine: number, epoch: number): DataFolder {
  const { store, length } = data.backend;
  const made = new DataFolder(member, raised_clusters + member);
  made.raisedFor = epoch;
  made.backend = {
    store: {
      values: store.values.slice(0, length),
      keys: store.keys.slice(0, length),
      raised: store.raised + raiseOf(epoch, store.raised + length),
    },
    length,
    consistent_index: 1,
  };
  const membership = { ...noMembership, voters: [member], machines: { [member]: machine } };
  made.snapshots.push({ index: 1, term: 1, membership, store: undefined });
  made.wal.save({ term: 1, vote: member, commit: 1 }, []);
  made.wal.saveSnapshot(1, 1);
  made.wal.flushAndSync();
  return made;
}
