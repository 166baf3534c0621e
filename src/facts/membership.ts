import { type ConfChange, type ConfState, change_kind, decodeConfChange } from "./messages.ts";
import { readContext, readStore, type StoredMember } from "./store.ts";
import type { ChangeEntry } from "./wal.ts";
import { WireError } from "./wire.ts";

/**
 * What a log says about a member, always by its id: a machine that came back has a new one, and the log also holds the
 * removal of the old.
 * `none`: the log has never heard of it. `unknown`: something in the log can't be judged, so nobody may rely on it.
 */
export type Standing = "voter" | "learner" | "removed" | "none" | "unknown";

export interface Configuration {
  readonly voters: readonly bigint[];
  readonly learners: readonly bigint[];
  readonly removed: readonly bigint[];
  /** Why nothing is sure from some entry on. */
  readonly unknown: string | undefined;
}

/** 3.5 allows one; 3.6 what its flags say, which we can't see: beyond one we don't know whether etcd took it. */
const learners_max = 1;

/** The configuration of a snapshot, to be folded with the changes after it. */
export class Membership {
  readonly #members = new Map<bigint, StoredMember>();
  readonly #removed = new Set<bigint>();
  /** Removed, and never there: whether etcd remembers that depends on what it did with the removal. */
  readonly #absent = new Set<bigint>();
  #unknown: string | undefined;

  /** `store` is the snapshot's, with the members' addresses: etcd judges changes by them. */
  constructor(snapshot?: { readonly confState: ConfState; readonly store: Uint8Array }) {
    if (snapshot === undefined) return;
    const { voters, learners, joint } = snapshot.confState;
    const store = readStore(snapshot.store);
    for (const id of [...voters, ...learners]) {
      const stored = store?.members.get(id);
      if (stored !== undefined && stored.learner !== learners.includes(id))
        this.#give(`the snapshot's store and its configuration differ about member ${id.toString(16)}`);
      this.#members.set(id, stored ?? { learner: learners.includes(id), urls: [] });
    }
    for (const id of store?.removed ?? []) this.#removed.add(id);
    if (joint) this.#give("the snapshot is in the middle of a joint configuration");
    if (store === undefined) this.#give("the snapshot's store can't be read");
    else if (store.members.size !== this.#members.size)
      this.#give("the snapshot's store and its configuration name other members");
  }

  apply(entry: ChangeEntry): void {
    const why = entry.v2 ? "is a change of the second kind" : this.#change(entry.payload);
    if (why !== undefined) this.#give(`entry ${entry.index} ${why}`);
  }

  /** Whether the entry takes this member out, or tries to. */
  static removes(entry: ChangeEntry, memberId: bigint): boolean {
    const change = decoded(entry.payload);
    return change?.kind === change_kind.removeNode && change.memberId === memberId;
  }

  standing(memberId: bigint): Standing {
    if (this.#unknown !== undefined) return "unknown";
    const member = this.#members.get(memberId);
    if (member !== undefined) return member.learner ? "learner" : "voter";
    return this.#removed.has(memberId) ? "removed" : "none";
  }

  configuration(): Configuration {
    const ids = (learner: boolean) =>
      [...this.#members].filter(([, member]) => member.learner === learner).map(([id]) => id);
    return {
      voters: sorted(ids(false)),
      learners: sorted(ids(true)),
      removed: sorted([...this.#removed]),
      unknown: this.#unknown,
    };
  }

  /** The first reason counts: what follows is judged from a configuration that may be wrong. */
  #give(why: string): void {
    this.#unknown ??= why;
  }

  /**
   * As etcd's ValidateConfigurationChange judges when it applies a change: one that it refuses is void, and the log goes
   * on as if it were not there. We say `unknown` then, and wherever etcd would panic or its versions differ. But not of a
   * request that was repeated since its answer was lost, to promote a voter or to remove who is not there: void or
   * applied, the voters and learners after it are those before it.
   */
  #change(payload: Uint8Array): string | undefined {
    const change = decoded(payload);
    if (change === undefined) return "is a malformed membership change";
    if (change.memberId === 0n) return "changes no member";
    if (this.#removed.has(change.memberId) && change.kind !== change_kind.removeNode)
      return "changes a member that was removed: etcd voids it";
    switch (change.kind) {
      case change_kind.addNode:
      case change_kind.addLearner:
        return this.#add(change);
      case change_kind.removeNode:
        if (this.#members.delete(change.memberId)) this.#removed.add(change.memberId);
        else if (!this.#removed.has(change.memberId)) this.#absent.add(change.memberId);
        return undefined;
      case change_kind.updateNode:
        return this.#update(change);
      default:
        return `is a change of kind ${change.kind}`;
    }
  }

  #add({ kind, memberId, context }: ConfChange): string | undefined {
    const asked = readContext(context);
    if (asked === undefined || asked.id !== memberId)
      return "says nothing sure about the member that it adds";
    const asLearner = kind === change_kind.addLearner;
    const known = this.#members.get(memberId);
    if (asked.promote) {
      if (known === undefined || asLearner) return "promotes what can't be promoted: etcd voids it";
      this.#members.set(memberId, { ...known, learner: false });
      return undefined;
    }
    if (known !== undefined) return "adds a member that is there: etcd voids it";
    if (this.#absent.has(memberId)) return "adds a member that was removed before it was there";
    if (asked.learner !== asLearner) return "adds a member that is and is not a learner";
    if (this.#taken(asked.urls, memberId)) return "adds a member at the address of another: etcd voids it";
    const learners = [...this.#members.values()].filter((member) => member.learner).length;
    if (asLearner && learners >= learners_max) return "adds one learner too many: etcd may void it";
    this.#members.set(memberId, { learner: asLearner, urls: asked.urls });
    return undefined;
  }

  #update({ memberId, context }: ConfChange): string | undefined {
    const asked = readContext(context);
    const known = this.#members.get(memberId);
    if (known === undefined) return "updates a member that is not there: etcd voids it";
    if (asked === undefined || asked.id !== memberId)
      return "says nothing sure about the member that it updates";
    if (this.#taken(asked.urls, memberId)) return "gives a member the address of another: etcd voids it";
    // 3.5 takes the learner's mark from the update too, 3.6 does not.
    if (known.learner || asked.learner) return "updates a learner, which versions of etcd do differently";
    this.#members.set(memberId, { learner: false, urls: asked.urls });
    return undefined;
  }

  #taken(urls: readonly string[], by: bigint): boolean {
    return [...this.#members].some(
      ([id, member]) => id !== by && member.urls.some((url) => urls.includes(url)),
    );
  }
}

function decoded(payload: Uint8Array): ConfChange | undefined {
  try {
    return decodeConfChange(payload);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

const sorted = (ids: readonly bigint[]): bigint[] => ids.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
