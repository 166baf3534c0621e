import type { Durable } from "../disk.ts";
import { none, type Entry, type HardState, type SnapshotData } from "./types.ts";

export type WalRecord =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "state"; readonly state: HardState }
  | { readonly kind: "snapshot"; readonly index: number; readonly term: number };

/** What a start reads. */
export interface Replay {
  readonly state: HardState;
  /** After the snapshot; also those that are not committed. */
  readonly entries: readonly Entry[];
  /** Those of them that change the membership. */
  readonly changes: readonly Entry[];
  readonly snapshot: SnapshotData | undefined;
}

const noState: HardState = { term: 0, vote: none, commit: 0 };
/** Entries after an index, as far as they were read. */
interface Read {
  readonly after: number;
  records: number;
  readonly entries: Entry[];
  readonly changes: Entry[];
}

const nothingRead = (after: number): Read => ({ after, records: 0, entries: [], changes: [] });

/**
 * The write-ahead log. A record is first in the process (a crash of etcd loses it), then with the operating system (a power cut
 * may lose it), then synced. Entries, terms and votes are synced at once; a new commit index alone is not, and waits in the
 * process for the next sync.
 */
export class Wal implements Durable {
  readonly records: WalRecord[] = [];
  #written = 0;
  #synced = 0;
  #state = noState;
  /** The snapshot records, oldest first. */
  #snapshots: Extract<WalRecord, { kind: "snapshot" }>[] = [];
  /** Kept, since facts are gathered far more often than a log is cut. */
  #read = nothingRead(0);

  get unsynced(): number {
    return this.#written - this.#synced;
  }

  /** True: the caller must sync before it goes on. */
  save(state: HardState | undefined, entries: readonly Entry[]): boolean {
    for (const entry of entries) this.records.push({ kind: "entry", entry });
    if (state === undefined) return entries.length > 0;
    const before = this.#state;
    this.records.push({ kind: "state", state });
    this.#state = state;
    return entries.length > 0 || state.term !== before.term || state.vote !== before.vote;
  }

  saveSnapshot(index: number, term: number): void {
    const record = { kind: "snapshot", index, term } as const;
    this.records.push(record);
    this.#snapshots.push(record);
  }

  /** All that the process holds goes to the operating system; gives the mark for `synced`. */
  flush(): number {
    this.#written = this.records.length;
    return this.#written;
  }

  synced(mark: number): void {
    this.#synced = Math.max(this.#synced, Math.min(mark, this.#written));
  }

  flushAndSync(): void {
    this.synced(this.flush());
  }

  processEnded(): void {
    this.#cut(this.#written);
  }

  powerCut(kept: number): void {
    this.#cut(this.#synced + kept);
    this.#written = this.records.length;
    this.#synced = this.#written;
  }

  /** A disk that broke its word: records are gone from this one on, synced or not. */
  loseFrom(record: number): void {
    this.#cut(Math.min(record, this.records.length));
    this.flushAndSync();
    this.#synced = this.#written;
  }

  #cut(length: number): void {
    this.records.length = length;
    this.#read = nothingRead(0);
    this.#snapshots = this.records.filter((record) => record.kind === "snapshot");
    const newest = this.records.findLast((record) => record.kind === "state");
    this.#state = newest?.state ?? noState;
  }

  /** The newest HardState. */
  state(): HardState {
    return this.#state;
  }

  /** Entries after an index. To be used before the next write. */
  entriesAfter(index: number): readonly Entry[] {
    return this.#readOn(index).entries;
  }

  /** One with an index that was there before replaces it and what followed. */
  #readOn(after: number): Read {
    if (this.#read.after !== after) this.#read = nothingRead(after);
    const { entries, changes } = this.#read;
    for (; this.#read.records < this.records.length; this.#read.records += 1) {
      const record = this.records[this.#read.records];
      if (record?.kind !== "entry" || record.entry.index <= after) continue;
      const { entry } = record;
      const place = entry.index - after - 1;
      if (place > entries.length) throw new Error(`the log has a hole before index ${entry.index}`);
      if (place < entries.length) while ((changes.at(-1)?.index ?? 0) >= entry.index) changes.pop();
      entries.length = place;
      entries.push(entry);
      if (entry.change !== undefined) changes.push(entry);
    }
    return this.#read;
  }

  /** The newest snapshot that the log knows, that is committed, and whose file is there. */
  validSnapshot(files: readonly SnapshotData[]): SnapshotData | undefined {
    const { commit } = this.#state;
    for (let i = this.#snapshots.length - 1; i >= 0; i -= 1) {
      const record = this.#snapshots[i];
      if (record === undefined || record.index > commit) continue;
      const file = files.find((each) => each.index === record.index && each.term === record.term);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  replay(files: readonly SnapshotData[]): Replay {
    const snapshot = this.validSnapshot(files);
    const { entries, changes } = this.#readOn(snapshot?.index ?? 0);
    return { state: this.state(), entries, changes, snapshot };
  }
}
