import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import type { Backend } from "./data.ts";
import { afterConfChange } from "./leader.ts";
import type { Member } from "./member.ts";
import { changed, invalid, published } from "./membership.ts";
import { Store } from "./store.ts";
import { type Entry, type Membership, noMembership, type SnapshotData } from "./types.ts";

const slowApply = label("etcd.slow-apply");
const confLine = traceKind(
  "etcd.conf",
  (id, what, voters) => `member ${id} applied ${what}: voters ${voters}`,
);
const snapshotLine = traceKind(
  "etcd.snapshot",
  (id, what, index) => `member ${id} ${what} a snapshot at ${index}`,
);

interface Batch {
  readonly entries: readonly Entry[];
  readonly done: () => void;
}

/** Applies what is committed, batch after batch, on its own time: how far raft is by then is another matter. */
export class Applier {
  store: Store;
  membership: Membership = noMembership;
  /** The last entry that was applied, and its term. */
  index = 0;
  term = 0;
  /** The last entry whose effect the store holds: entries up to there are not applied to it again. */
  consistent_index = 0;
  readonly #member: Member;
  #queue: Batch[] = [];
  #working = false;
  #dirty = false;
  #snapshot_index = 0;

  constructor(member: Member) {
    this.#member = member;
    const { data, raft } = member;
    this.store = new Store(data.backend.store, data.backend.length);
    this.consistent_index = data.backend.consistent_index;
    const { base_index } = raft.log;
    if (base_index > 0) this.#load(data.snapshots.find((file) => file.index === base_index));
  }

  #load(snapshot: SnapshotData | undefined): void {
    if (snapshot === undefined) throw new Error("the log begins with a snapshot that is not there");
    this.membership = snapshot.membership;
    this.index = snapshot.index;
    this.term = snapshot.term;
    this.#snapshot_index = snapshot.index;
    if (this.consistent_index >= snapshot.index) return;
    // The crash came between saving a received snapshot and using it: its database is used now.
    this.#use(snapshot);
  }

  /** A database knows by itself how far it is: after a restart that is often further than its member has applied. */
  #use(snapshot: SnapshotData): void {
    this.store = new Store(snapshot.store);
    this.consistent_index = snapshot.store?.consistent_index ?? snapshot.index;
    this.#member.data.backend = this.#backend();
  }

  hand(entries: readonly Entry[], done: () => void): void {
    this.#queue.push({ entries, done });
    this.#next();
  }

  #next(): void {
    const batch = this.#working ? undefined : this.#queue.shift();
    if (batch === undefined) return;
    this.#working = true;
    const { env } = this.#member;
    const { apply_us, apply_entry_us, apply_slow_ppm } = env.times;
    let time_us = apply_us + apply_entry_us * batch.entries.length;
    if (env.kernel.choices.fault(slowApply, 2, apply_slow_ppm) > 0) time_us *= 100;
    this.#member.when(time_us, () => {
      this.#working = false;
      for (const entry of batch.entries) if (entry.index === this.index + 1) this.#apply(entry);
      this.#member.requests.applied();
      batch.done();
      this.#maybeSnapshot();
      this.#next();
    });
  }

  #apply(entry: Entry): void {
    const member = this.#member;
    this.index = entry.index;
    this.term = entry.term;
    const fresh = entry.index > this.consistent_index;
    if (fresh) this.consistent_index = entry.index;
    for (const observer of member.env.observers) observer.applied?.(member, entry);
    switch (entry.kind) {
      case "put":
        if (!fresh) break;
        this.store.put(entry.key, entry.value);
        member.requests.answer(entry.request, { ok: true, revision: this.store.revision, term: entry.term });
        break;
      case "empty":
        member.requests.firstInTerm();
        break;
      case "publish":
        this.membership = published(this.membership, entry.value);
        member.requests.answer(entry.request, { ok: true, revision: this.store.revision, term: entry.term });
        break;
      case "conf":
        this.#reconfigure(entry);
        break;
    }
    this.#changed();
  }

  /** Only here does a change of membership take effect, on each member for itself. */
  #reconfigure(entry: Entry): void {
    const { change } = entry;
    if (change === undefined) return;
    const member = this.#member;
    const { env, raft } = member;
    const why = invalid(this.membership, change);
    if (why !== undefined) {
      member.requests.answer(entry.request, { ok: false, why, sure: true });
      return;
    }
    this.membership = changed(this.membership, change);
    raft.useConf(this.membership);
    afterConfChange(raft);
    if (env.kernel.trace.on)
      env.kernel.note(
        confLine,
        member.id,
        `${change.kind} ${change.member}`,
        this.membership.voters.join(" and "),
      );
    member.requests.answer(entry.request, { ok: true, revision: this.store.revision, term: entry.term });
    if (change.kind === "remove" && change.member === member.id)
      member.when(env.times.removed_stop_us, () => member.toldRemoved());
  }

  #backend(): Backend {
    const { store } = this;
    return { store, length: store.revision, consistent_index: this.consistent_index };
  }

  /** The backend is written now and then; between two times, a crash brings back the older state and the log the rest. */
  #changed(): void {
    if (this.#dirty) return;
    this.#dirty = true;
    const member = this.#member;
    const { env, data } = member;
    const write = () => {
      const { now_us } = env.kernel;
      const late_us = data.backend_us - now_us;
      if (late_us > 0) {
        member.when(late_us, write);
        return;
      }
      this.#dirty = false;
      data.writeBackend(this.#backend(), now_us + env.sync_us(member.machine), env.kernel);
    };
    member.when(env.times.backend_us, write);
  }

  /** etcd ends in order: its database holds all that was applied. */
  close(): void {
    const { data } = this.#member;
    if (this.consistent_index >= data.backend.consistent_index) data.backend = this.#backend();
  }

  #maybeSnapshot(): void {
    const member = this.#member;
    const { env, data, raft } = member;
    if (this.index - this.#snapshot_index <= env.times.snapshot_entries) return;
    this.#snapshot_index = this.index;
    const snapshot: SnapshotData = {
      index: this.index,
      term: this.term,
      membership: this.membership,
      store: undefined,
    };
    if (this.consistent_index >= data.backend.consistent_index) data.backend = this.#backend();
    member.when(env.sync_us(member.machine), () => {
      env.kernel.note(snapshotLine, member.id, "made", snapshot.index);
      data.snapshots.push(snapshot);
      data.wal.saveSnapshot(snapshot.index, snapshot.term);
      data.wal.flushAndSync();
      raft.log.compact(
        Math.min(snapshot.index - env.times.catch_up_entries, raft.log.handed, raft.log.stable),
      );
    });
  }

  /** What this member would send to one that is too far behind for entries. */
  sendable(): SnapshotData {
    const { index, term, membership, consistent_index } = this;
    return { index, term, membership, store: { ...this.store.copy(), consistent_index } };
  }

  /** A received snapshot is on disk before anything of it is used. */
  saveReceived(snapshot: SnapshotData): void {
    const { data } = this.#member;
    data.snapshots.push(snapshot);
    data.wal.saveSnapshot(snapshot.index, snapshot.term);
  }

  install(snapshot: SnapshotData): void {
    const member = this.#member;
    if (member.raft.snapshot === snapshot) member.raft.snapshot = undefined;
    if (snapshot.index <= this.index) return;
    member.env.kernel.note(snapshotLine, member.id, "installed", snapshot.index);
    this.index = snapshot.index;
    this.term = snapshot.term;
    this.#snapshot_index = snapshot.index;
    this.membership = snapshot.membership;
    this.#use(snapshot);
    for (const observer of member.env.observers) observer.loaded?.(member);
    member.requests.applied();
  }
}
