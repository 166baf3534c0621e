/** No member, as a vote, a leader or a sender: real ids begin with 1 and are never used again. */
export const none = 0;

export type ConfKind = "add voter" | "add learner" | "promote" | "remove";

export interface ConfChange {
  readonly kind: ConfKind;
  readonly member: number;
  /** On which machine the member is: what its peer URL says. */
  readonly machine: number;
}

/** empty: a new leader's first; put: a client's; publish: a member tells its name; conf: a change of membership. */
export type EntryKind = "empty" | "put" | "publish" | "conf";

export interface Entry {
  readonly term: number;
  readonly index: number;
  readonly kind: EntryKind;
  /** Who waits for it, by a number that is never used again. 0: nobody. */
  readonly request: number;
  /** put: the client's operation; publish: the member. */
  readonly value: number;
  readonly key: number;
  readonly change: ConfChange | undefined;
}

/** What a proposal carries before the leader gives it term and index. */
export type Proposal = Pick<Entry, "kind" | "request" | "value" | "key" | "change">;

export const entryOf = (proposal: Proposal, term: number, index: number): Entry => ({
  term,
  index,
  kind: proposal.kind,
  request: proposal.request,
  value: proposal.value,
  key: proposal.key,
  change: proposal.change,
});

export const proposalOf = (
  kind: EntryKind,
  request: number,
  value = 0,
  key = 0,
  change?: ConfChange,
): Proposal => ({ kind, request, value, key, change });

export interface HardState {
  readonly term: number;
  readonly vote: number;
  readonly commit: number;
}

export interface Conf {
  readonly voters: readonly number[];
  readonly learners: readonly number[];
}
export const noConf: Conf = { voters: [], learners: [] };

export type MessageType =
  | "propose"
  | "append"
  | "append answer"
  | "heartbeat"
  | "heartbeat answer"
  | "pre-vote"
  | "pre-vote answer"
  | "vote"
  | "vote answer"
  | "snapshot"
  | "read index"
  | "read index answer"
  | "transfer"
  | "campaign now";

export interface Message {
  readonly type: MessageType;
  readonly from: number;
  readonly to: number;
  /** 0 for what is not tied to a term: proposals and questions for the read index. */
  readonly term: number;
  readonly index: number;
  readonly logTerm: number;
  readonly commit: number;
  readonly entries: readonly Entry[];
  readonly reject: boolean;
  readonly hint: number;
  /** A read's number, the forced campaign of a transfer, or a proposal. */
  readonly context: number;
  readonly proposal: Proposal | undefined;
  readonly snapshot: SnapshotData | undefined;
}

const noEntries: readonly Entry[] = [];

/** A message before it leaves: whoever asked for it writes into it what it carries. */
export type Draft = { -readonly [Field in keyof Message]: Message[Field] };

/** All messages have all fields, so that they have one shape: a third of all that happens is a message. */
export const messageOf = (type: MessageType, from: number, to: number, term: number): Draft => ({
  type,
  from,
  to,
  term,
  index: 0,
  logTerm: 0,
  commit: 0,
  entries: noEntries,
  reject: false,
  hint: 0,
  context: 0,
  proposal: undefined,
  snapshot: undefined,
});

/** The state of a member at an index: what a snapshot holds, on disk or on the wire. */
export interface SnapshotData {
  readonly index: number;
  readonly term: number;
  readonly membership: Membership;
  /** The database, where it came by the wire; a member's own snapshot leaves that to its backend. */
  readonly store: (StoreCopy & { readonly consistent_index: number }) | undefined;
}

export interface StoreCopy {
  /** By so much is a revision that clients see above the number of writes. */
  readonly raised: number;
  readonly values: readonly number[];
  readonly keys: readonly number[];
}

/** Who belongs to the cluster, as a member has applied it. */
export interface Membership extends Conf {
  readonly removed: readonly number[];
  /** Told their name: only these count as started. */
  readonly started: readonly number[];
  /** Machine of each member, by the member's id. */
  readonly machines: Readonly<Record<number, number>>;
}

export const noMembership: Membership = { voters: [], learners: [], removed: [], started: [], machines: {} };
