import type { Entry } from "./types.ts";

/** A follower was told to commit what it does not have, or to overwrite what is committed: etcd ends itself. */
export class EtcdPanic extends Error {}

/** A member's log in memory. What lies at or before `base` is only in a snapshot. */
export class RaftLog {
  base_index: number;
  base_term: number;
  committed: number;
  /** Handed to the applier, which may be far from done with it. raft calls this "applied". */
  handed: number;
  /** Known to be in the WAL. */
  stable: number;
  #entries: Entry[];

  constructor(base_index = 0, base_term = 0, entries: readonly Entry[] = []) {
    this.base_index = base_index;
    this.base_term = base_term;
    this.committed = base_index;
    this.handed = base_index;
    this.#entries = [...entries];
    this.stable = this.last_index;
  }

  get last_index(): number {
    return this.base_index + this.#entries.length;
  }

  get last_term(): number {
    return this.#entries.at(-1)?.term ?? this.base_term;
  }

  /** undefined: not in this log, or no longer. */
  term(index: number): number | undefined {
    if (index === this.base_index) return this.base_term;
    return this.#entries[index - this.base_index - 1]?.term;
  }

  entry(index: number): Entry | undefined {
    return this.#entries[index - this.base_index - 1];
  }

  /** From the first to before the end. */
  slice(first: number, end: number): readonly Entry[] {
    return this.#entries.slice(first - this.base_index - 1, end - this.base_index - 1);
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
  }

  matches(index: number, term: number): boolean {
    return this.term(index) === term;
  }

  /** Entries from a leader after what both have; gives the last index that now agrees, or nothing where they don't meet. */
  maybeAppend(index: number, term: number, commit: number, entries: readonly Entry[]): number | undefined {
    if (!this.matches(index, term)) return undefined;
    const last = index + entries.length;
    const conflict = entries.find((entry) => !this.matches(entry.index, entry.term));
    if (conflict !== undefined) {
      if (conflict.index <= this.committed)
        throw new EtcdPanic(`entry ${conflict.index} conflicts with a committed entry`);
      this.#cutFrom(conflict.index);
      for (const entry of entries) if (entry.index >= conflict.index) this.#entries.push(entry);
    }
    this.commitTo(Math.min(commit, last));
    return last;
  }

  commitTo(index: number): void {
    if (index <= this.committed) return;
    if (index > this.last_index)
      throw new EtcdPanic(`tocommit(${index}) is out of range [lastIndex(${this.last_index})]`);
    this.committed = index;
  }

  /** Where a search for the common part can go on: the last index at or before this one with no higher term. */
  conflictByTerm(index: number, term: number): number {
    let at = index;
    if (at > this.last_index) return at;
    for (; at > this.base_index; at -= 1) {
      const here = this.term(at);
      if (here === undefined || here <= term) break;
    }
    return at;
  }

  upToDate(index: number, term: number): boolean {
    return term > this.last_term || (term === this.last_term && index >= this.last_index);
  }

  stableTo(index: number, term: number): void {
    if (this.matches(index, term)) this.stable = Math.max(this.stable, index);
  }

  /** Everything is thrown away for a snapshot. */
  restore(index: number, term: number): void {
    this.#entries = [];
    this.base_index = index;
    this.base_term = term;
    this.committed = index;
    this.stable = index;
  }

  /** Forgets what is at or before the index. */
  compact(index: number): void {
    if (index <= this.base_index) return;
    const term = this.term(index);
    if (term === undefined) return;
    this.#entries = this.#entries.slice(index - this.base_index);
    this.base_index = index;
    this.base_term = term;
  }

  #cutFrom(index: number): void {
    this.#entries.length = index - this.base_index - 1;
    this.stable = Math.min(this.stable, index - 1);
  }
}
