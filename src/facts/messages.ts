import { WireError, WireReader } from "./wire.ts";

/** The messages inside etcd's records, named as in raftpb, walpb and snappb. */

export interface HardState {
  readonly term: number;
  /** The member voted for in this term; 0n is nobody. */
  readonly vote: bigint;
  readonly commit: number;
}

export interface ConfState {
  readonly voters: readonly bigint[];
  readonly learners: readonly bigint[];
  /** In the middle of a joint change, which etcd never does: nothing is known then. */
  readonly joint: boolean;
}

export interface SnapshotRecord {
  readonly index: number;
  readonly term: number;
  /** Older etcd leaves it out, and so does the first record of a WAL. */
  readonly confState: ConfState | undefined;
}

export function decodeMetadata(bytes: Uint8Array): { memberId: bigint; clusterId: bigint } {
  const reader = new WireReader(bytes);
  let memberId: bigint | undefined;
  let clusterId: bigint | undefined;
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    if (field === 1) memberId = reader.uint64();
    else if (field === 2) clusterId = reader.uint64();
    else reader.unknown();
  }
  if (memberId === undefined || clusterId === undefined || memberId === 0n || clusterId === 0n)
    throw new WireError("a member id and a cluster id are expected");
  return { memberId, clusterId };
}

export function decodeHardState(bytes: Uint8Array): HardState {
  const reader = new WireReader(bytes);
  const found = { term: -1, vote: 0n, commit: -1 };
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    if (field === 1) found.term = reader.number();
    else if (field === 2) found.vote = reader.uint64();
    else if (field === 3) found.commit = reader.number();
    else reader.unknown();
  }
  // etcd never writes an empty one; without this an entry whose type had a bit flipped could pass as a HardState.
  if (found.term < 1 || found.commit < 0) throw new WireError("a HardState needs a term and a commit index");
  return found;
}

export function decodeSnapshotRecord(bytes: Uint8Array): SnapshotRecord {
  const reader = new WireReader(bytes);
  let index = -1;
  let term = -1;
  let confState: ConfState | undefined;
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    if (field === 1) index = reader.number();
    else if (field === 2) term = reader.number();
    else if (field === 3) confState = decodeConfState(reader.bytes());
    else reader.unknown();
  }
  if (index < 0 || term < 0 || (index === 0) !== (term === 0))
    throw new WireError("a snapshot needs an index and a term");
  return { index, term, confState };
}

/** Of etcd's InternalRaftRequest: its `cluster_version_set`. Undefined for every other request, and for what is none. */
export function decodeClusterVersion(bytes: Uint8Array): string | undefined {
  try {
    const reader = new WireReader(bytes);
    for (let field = reader.next(); field !== undefined; field = reader.next()) {
      if (field === cluster_version_field) {
        const inner = new WireReader(reader.bytes());
        return inner.next() === 1 ? Buffer.from(inner.bytes()).toString("latin1") : undefined;
      }
      // The id is a number; everything else in it is a message.
      if (field === 1) reader.uint64();
      else reader.bytes();
    }
    return undefined;
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}
const cluster_version_field = 1300;

export function decodeConfState(bytes: Uint8Array): ConfState {
  const reader = new WireReader(bytes);
  const voters: bigint[] = [];
  const learners: bigint[] = [];
  let joint = false;
  for (let field = reader.next(lists); field !== undefined; field = reader.next(lists)) {
    if (field === 1) voters.push(reader.uint64());
    else if (field === 2) learners.push(reader.uint64());
    else if (field === 3 || field === 4) {
      reader.uint64();
      joint = true;
    } else if (field === 5) joint = reader.boolean() || joint;
    else reader.unknown();
  }
  const all = [...voters, ...learners];
  if (new Set(all).size !== all.length || all.includes(0n))
    throw new WireError("a configuration names a member twice, or none");
  return { voters, learners, joint };
}

/** Voters, learners, voters going out, learners to be. */
const lists = [1, 2, 3, 4];

export const change_kind = { addNode: 0, removeNode: 1, updateNode: 2, addLearner: 3 } as const;

export interface ConfChange {
  readonly kind: number;
  readonly memberId: bigint;
  readonly context: Uint8Array;
}

export function decodeConfChange(bytes: Uint8Array): ConfChange {
  const reader = new WireReader(bytes);
  let kind = -1;
  let memberId = 0n;
  let context = new Uint8Array();
  for (let field = reader.next(); field !== undefined; field = reader.next()) {
    if (field === 1) reader.uint64();
    else if (field === 2) kind = reader.number();
    else if (field === 3) memberId = reader.uint64();
    else if (field === 4) context = new Uint8Array(reader.bytes());
    else reader.unknown();
  }
  if (kind < 0) throw new WireError("a membership change needs a kind");
  return { kind, memberId, context };
}
