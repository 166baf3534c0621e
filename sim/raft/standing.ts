import type { DataFolder } from "./data.ts";
import { changed, invalid, isMember } from "./membership.ts";
import { type ConfChange, type Membership, noMembership } from "./types.ts";

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
  const { state, entries, snapshot } = data.wal.replay(data.snapshots);
  let membership: Membership = snapshot?.membership ?? noMembership;
  let removal = membership.removed.includes(data.member);
  let unknown = false;
  for (const { change } of entries) {
    if (change === undefined) continue;
    if (change.kind === "remove" && change.member === data.member) removal = true;
    if (idle(membership, change)) continue;
    if (invalid(membership, change) !== undefined || removesAll(membership, change.kind, change.member)) {
      unknown = true;
      continue;
    }
    membership = changed(membership, change);
  }
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
    others: [...membership.voters, ...membership.learners]
      .filter((id) => id !== data.member)
      .toSorted((a, b) => a - b),
    sole_voter: membership.voters.length === 1 && membership.voters[0] === data.member,
    removal,
    tail_lost: data.backend.consistent_index > last_index,
  };
}

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
