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
  readonly snapshot: SnapshotData | undefined;
}

const noState: HardState = { term: 0, vote: none, commit: 0 };

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
    this.records.push({ kind: "snapshot", index, term });
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
    this.records.length = this.#written;
    this.#state = this.state();
  }

  powerCut(kept: number): void {
    this.records.length = this.#synced + kept;
    this.#written = this.records.length;
    this.#synced = this.#written;
    this.#state = this.state();
  }

  /** The newest HardState. */
  state(): HardState {
    for (let i = this.records.length - 1; i >= 0; i -= 1) {
      const record = this.records[i];
      if (record?.kind === "state") return record.state;
    }
    return noState;
  }

  /** Entries after an index; one with an index that was there before replaces it and what followed. */
  entriesAfter(index: number): readonly Entry[] {
    const found: Entry[] = [];
    for (const record of this.records) {
      if (record.kind !== "entry" || record.entry.index <= index) continue;
      const place = record.entry.index - index - 1;
      if (place > found.length) throw new Error(`the log has a hole before index ${record.entry.index}`);
      found.length = place;
      found.push(record.entry);
    }
    return found;
  }

  /** The newest snapshot that the log knows, that is committed, and whose file is there. */
  validSnapshot(files: readonly SnapshotData[]): SnapshotData | undefined {
    const { commit } = this.state();
    for (let i = this.records.length - 1; i >= 0; i -= 1) {
      const record = this.records[i];
      if (record?.kind !== "snapshot" || record.index > commit) continue;
      const file = files.find((each) => each.index === record.index && each.term === record.term);
      if (file !== undefined) return file;
    }
    return undefined;
  }

  replay(files: readonly SnapshotData[]): Replay {
    const snapshot = this.validSnapshot(files);
    return { state: this.state(), entries: this.entriesAfter(snapshot?.index ?? 0), snapshot };
  }
}
