import type { Durable } from "../disk.ts";
import type { Entry, Membership, SnapshotData, StoreCopy } from "./types.ts";
import { Wal } from "./wal.ts";

/** What the backend's last commit left on the disk: the store up to there, and the index of the last entry in it. */
export interface Backend {
  readonly store: StoreCopy;
  /** The store only grows between two starts: its first so many writes are the backend's. */
  readonly length: number;
  readonly consistent_index: number;
}

/** What the fold of a log's changes of membership came to, and of which. */
export interface Folded {
  readonly snapshot: SnapshotData | undefined;
  readonly changes: number;
  readonly last: Entry | undefined;
  readonly membership: Membership;
  readonly removal: boolean;
  readonly unknown: boolean;
  readonly others: readonly number[];
}

interface Clock {
  readonly now_us: number;
}

const noBackend: Backend = { store: { values: [], keys: [], raised: 0 }, length: 0, consistent_index: 0 };

/** etcd's data folder. */
export class DataFolder implements Durable {
  readonly member: number;
  readonly cluster: number;
  readonly wal = new Wal();
  snapshots: SnapshotData[] = [];
  /** Kept for the next who asks: the membership changes a few times in a run, and is looked at all the time. */
  folded: Folded | undefined;
  #backend = noBackend;
  #writing: { readonly backend: Backend; readonly synced_us: number; readonly clock: Clock } | undefined;
  /** The epoch for which its revisions were raised: duet's mark in the member's folder. */
  raisedFor = 0;
  /** Unreadable: etcd does not start from it. */
  corrupt = false;
  /** Its log too: nobody can tell what it holds. */
  unreadable = false;

  constructor(member: number, cluster: number) {
    this.member = member;
    this.cluster = cluster;
  }

  /** What is synced by now. */
  get backend(): Backend {
    const writing = this.#writing;
    if (writing !== undefined && writing.synced_us <= writing.clock.now_us) {
      this.#writing = undefined;
      if (writing.backend.consistent_index >= this.#backend.consistent_index) this.#backend = writing.backend;
    }
    return this.#backend;
  }

  set backend(backend: Backend) {
    this.#backend = backend;
  }

  /** When the last write of the backend is synced: the next has to wait for that. */
  get backend_us(): number {
    return this.#writing?.synced_us ?? 0;
  }

  /** It is there once the disk is done with it, if etcd lives until then. */
  writeBackend(backend: Backend, synced_us: number, clock: Clock): void {
    this.#backend = this.backend;
    this.#writing = { backend, synced_us, clock };
  }

  /** etcd ended: what is not synced by now never will be. */
  endBackend(): void {
    this.#backend = this.backend;
    this.#writing = undefined;
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
    made.raisedFor = this.raisedFor;
    const { store, length, consistent_index } = this.backend;
    made.backend = {
      store: {
        values: store.values.slice(0, length),
        keys: store.keys.slice(0, length),
        raised: store.raised,
      },
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
