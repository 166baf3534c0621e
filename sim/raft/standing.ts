import type { DataFolder, Folded } from "./data.ts";
import { changed, invalid, isMember } from "./membership.ts";
import { type ConfChange, type Entry, type Membership, noMembership, type SnapshotData } from "./types.ts";

export interface WalFacts {
  readonly cluster: number;
  readonly member: number;
  readonly term: number;
  readonly commit: number;
  readonly last_index: number;
  readonly last_term: number;
  readonly standing: "voter" | "learner" | "removed" | "none" | "unknown";
  /** All other members in the configuration, by the whole log. */
  readonly others: readonly number[];
  /** The only voter by the whole log. */
  readonly sole_voter: boolean;
  /** Something in the log, committed or not, removes this member. */
  readonly removal: boolean;
  /** The tail holds fewer entries than the database has applied. */
  readonly tail_lost: boolean;
}

/** What a machine knows from its WAL without starting etcd: the fold of design 3.1, over the model's records. */
export function walFacts(data: DataFolder): WalFacts {
  const { state, entries, changes, snapshot } = data.wal.replay(data.snapshots);
  const { membership, removal, unknown, others } = folded(data, snapshot, changes);
  const last = entries.at(-1);
  const last_index = last?.index ?? snapshot?.index ?? 0;
  return {
    cluster: data.cluster,
    member: data.member,
    term: state.term,
    commit: state.commit,
    last_index,
    last_term: last?.term ?? snapshot?.term ?? 0,
    standing: unknown ? "unknown" : standingOf(membership, data.member),
    others,
    sole_voter: isOnlyVoter(membership, data.member),
    removal,
    tail_lost: data.backend.consistent_index > last_index,
  };
}

function folded(data: DataFolder, snapshot: SnapshotData | undefined, changes: readonly Entry[]): Folded {
  const before = data.folded;
  const last = changes.at(-1);
  if (before?.snapshot === snapshot && before?.changes === changes.length && before.last === last)
    return before;
  const made = fold(data.member, snapshot, changes);
  data.folded = made;
  return made;
}

function fold(member: number, snapshot: SnapshotData | undefined, changes: readonly Entry[]): Folded {
  let membership: Membership = snapshot?.membership ?? noMembership;
  let removal = membership.removed.includes(member);
  let unknown = false;
  for (const { change } of changes) {
    if (change === undefined) continue;
    if (change.kind === "remove" && change.member === member) removal = true;
    if (idle(membership, change)) continue;
    if (invalid(membership, change) !== undefined || removesAll(membership, change.kind, change.member)) {
      unknown = true;
      continue;
    }
    membership = changed(membership, change);
  }
  const others = [...membership.voters, ...membership.learners]
    .filter((id) => id !== member)
    .toSorted((a, b) => a - b);
  return { snapshot, changes: changes.length, last: changes.at(-1), membership, removal, unknown, others };
}

/** The only voter by what the log calls committed. */
export function isSoleVoter(data: DataFolder): boolean {
  const { state, changes, snapshot } = data.wal.replay(data.snapshots);
  // Mostly all of it is committed, and valid.
  const whole = folded(data, snapshot, changes);
  if (!whole.unknown && (whole.last?.index ?? 0) <= state.commit)
    return isOnlyVoter(whole.membership, data.member);
  let membership: Membership = snapshot?.membership ?? noMembership;
  try {
    for (const { change, index } of changes)
      if (change !== undefined && index <= state.commit) membership = changed(membership, change);
  } catch {
    return false;
  }
  return isOnlyVoter(membership, data.member);
}

const isOnlyVoter = ({ voters }: Membership, member: number): boolean =>
  voters.length === 1 && voters[0] === member;

/** Asked for twice: etcd voids the second, and would change nothing by applying it. */
const idle = (membership: Membership, { kind, member }: ConfChange): boolean =>
  kind === "promote"
    ? membership.voters.includes(member)
    : kind === "remove" && !isMember(membership, member);

const removesAll = (membership: Membership, kind: string, member: number): boolean =>
  kind === "remove" && membership.voters.length === 1 && membership.voters[0] === member;

function standingOf(membership: Membership, member: number): WalFacts["standing"] {
  if (membership.voters.includes(member)) return "voter";
  if (membership.learners.includes(member)) return "learner";
  return membership.removed.includes(member) ? "removed" : "none";
}
