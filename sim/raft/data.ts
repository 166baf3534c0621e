import type { Durable } from "../disk.ts";
import type { SnapshotData, StoreCopy } from "./types.ts";
import { Wal } from "./wal.ts";

/** What the backend's last commit left on the disk: the store up to there, and the index of the last entry in it. */
export interface Backend {
  readonly store: StoreCopy;
  /** The store only grows between two starts: its first so many writes are the backend's. */
  readonly length: number;
  readonly consistent_index: number;
}

const noBackend: Backend = { store: { values: [], keys: [] }, length: 0, consistent_index: 0 };

/** etcd's data folder. */
export class DataFolder implements Durable {
  readonly member: number;
  readonly cluster: number;
  readonly wal = new Wal();
  snapshots: SnapshotData[] = [];
  backend: Backend = noBackend;
  /** Unreadable: etcd does not start from it. */
  corrupt = false;

  constructor(member: number, cluster: number) {
    this.member = member;
    this.cluster = cluster;
  }

  get unsynced(): number {
    return this.wal.unsynced;
  }

  powerCut(kept: number): void {
    this.wal.powerCut(kept);
  }

  /** A copy that later writes leave alone: a backup, or a machine put back to an older state. */
  clone(): DataFolder {
    const made = new DataFolder(this.member, this.cluster);
    made.wal.records.push(...this.wal.records);
    made.wal.flushAndSync();
    made.wal.processEnded();
    made.snapshots = [...this.snapshots];
    const { store, length, consistent_index } = this.backend;
    made.backend = {
      store: { values: store.values.slice(0, length), keys: store.keys.slice(0, length) },
      length,
      consistent_index,
    };
    return made;
  }
}

/**
 * The commit record of design 3.2: a HardState that commits everything that the log holds. Synced when this returns. Says why
 * not, where the log's tail is lost.
 */
export function appendCommitRecord(data: DataFolder): "done" | "nothing to do" | "the log's tail is lost" {
  const { state, entries, snapshot } = data.wal.replay(data.snapshots);
  const last = Math.max(entries.at(-1)?.index ?? 0, snapshot?.index ?? 0);
  if (data.backend.consistent_index > last) return "the log's tail is lost";
  if (state.commit >= last) return "nothing to do";
  data.wal.save({ ...state, commit: last }, []);
  data.wal.flushAndSync();
  return "done";
}
