/** Epoch and owner of the cluster whose data a machine holds. */
export interface Lineage {
  readonly epoch: number;
  /** The machine whose takeover made this epoch, or that set the cluster up. */
  readonly owner: string;
}

/** What a machine's own log says about its member, by member id. */
export type Standing = "voter" | "learner" | "removed" | "none" | "unknown";

/**
 * How far a machine's own last takeover came. `served` means that it may have answered clients, and that its forced start is
 * still owed; the finished takeover leaves no record but the lineage. `abandoned`: this epoch never served and never will.
 */
export interface Takeover {
  readonly step: "intent" | "served" | "abandoned";
  readonly epoch: number;
}

/** Tags above the lineage that are known never to have served: this machine's and its peer's, up to these epochs. 0: none. */
export interface Settled {
  readonly mine: number;
  readonly theirs: number;
}

/** What one disk says: etcd's log and duet's own file beside it. */
export interface Holding {
  /** etcd's data is there, sound or not. */
  readonly data: boolean;
  /** By the whole log, committed or not: a takeover commits all of it. */
  readonly standing: Standing;
  /** The only voter by what the log calls committed: such a member serves with no force. */
  readonly soleVoter: boolean;
  readonly removalInLog: boolean;
  /** The database has applied more than the log holds: the log's end is lost. */
  readonly tailLost: boolean;
  /** Undefined: no cluster's data, or nobody knows whose. */
  readonly lineage: Lineage | undefined;
  readonly full: boolean;
  readonly takeover: Takeover | undefined;
  readonly left: boolean;
  /** It gave its data up for a cluster of this epoch or a later one. */
  readonly surrendered: number | undefined;
  readonly settled: Settled;
  /** The other members in the log's configuration, by their ids; empty where there is none. */
  readonly others: string;
  /** The peer's `others`, as this machine last heard them in this boot: what it says, it says to that configuration. */
  readonly echo: string;
}

/** What is known of the peer, and since when. Knowledge ends with this machine's boot. */
export type Peer =
  /** No Corosync member since this machine booted. */
  | { readonly seen: "never" }
  /** A Corosync member; its facts are those that it published in this membership. */
  | {
      readonly seen: "now";
      readonly facts: Holding | undefined;
      /** Its etcd answers a linearizable read. */
      readonly serving: boolean;
      /** Its etcd is there, by its own word, with a leader or without. */
      readonly running: boolean;
      /** Its etcd can't be started or stopped, and it could not even surrender. */
      readonly stuck: boolean;
      /** It has begun to leave by plan. */
      readonly leaving: boolean;
    }
  /** It was a member in this boot and is none now; its facts are the last that it published in this boot. */
  | { readonly seen: "before"; readonly facts: Holding | undefined };

/** Was the peer's Off read after this loss, in this boot and membership? `void`: it was, and then the peer was seen again. */
export type Proof = "none" | "off" | "void";

/**
 * What may be lost, as the admin said it: all writes up to the epoch that he names, those that nobody can know of (`unknown`), or both. Neither
 * stands for the other.
 */
export type Accepted = number | "unknown" | `${number},unknown`;

/** What of one machine's data a person is shown who has to choose. */
export interface Offer {
  readonly lineage: Lineage | undefined;
  readonly surrendered: number | undefined;
}

/** Whose data counts from now on, and between which two that was said (choice.ts). */
export interface Choice {
  readonly of: "self" | "peer";
  readonly mine: Offer;
  readonly theirs: Offer;
  /** What the BMCs' tags said then. A takeover that shows in them only since was not accepted. */
  readonly tags: readonly Lineage[];
}

/** What `duet confirm-peer-down` and `duet choose-data` say. */
export interface Word {
  readonly peerDown: boolean;
  readonly accept: Accepted | undefined;
  readonly choose: Choice | undefined;
}

/** A BMC's tag. `foreign`: not of duet's form, of another site, or of a machine that is none of the two. */
export type Tag =
  | { readonly kind: "unreadable" | "foreign" | "blank" }
  | { readonly kind: "lineage"; readonly epoch: number; readonly owner: string };

export interface Etcd {
  /** The process is there, and answers within a deadline: a frozen one does not run. */
  readonly running: boolean;
  readonly leader: boolean;
  /** In place, one after the other, with no start that worked in between. */
  readonly failedStarts: number;
  /** Not looked for where etcd runs and nothing is to be started. */
  readonly versions?: Versions | undefined;
}

/** Of etcd: `3.5.16`, or `3.6.0` where only the first two numbers count. Undefined: nobody can tell. */
export interface Versions {
  /** What a start would run here. */
  readonly program: string | undefined;
  /** The newest that this machine's data names: an older etcd must not open it. */
  readonly data: string | undefined;
  /** What the serving peer runs, and what its cluster works by: no older etcd is let in. */
  readonly peer: string | undefined;
  readonly cluster: string | undefined;
}

/** One immutable picture of the world, from one machine's side. */
export interface Facts {
  readonly me: string;
  readonly peerName: string;
  readonly self: Holding;
  readonly peer: Peer;
  /** What the peer's BMC, or its outlet, says of its power. `fed`: the BMC is silent, and the outlet is on. */
  readonly peerPower: "on" | "off" | "fed" | "unreadable";
  readonly proof: Proof;
  /** Pacemaker takes the peer for lost, and will have it fenced. Not after a goodbye, nor where somebody confirmed it by hand. */
  readonly fencePending: boolean;
  readonly word: Word;
  /**
   * Of this machine's BMC and of the peer's. `gone`: what one of them said at an earlier look of this boot, newer than this machine's data, and
   * says no more. What is known does not become unknown because somebody wrote over it; left out where nothing is.
   */
  readonly tags: { readonly mine: Tag; readonly theirs: Tag; readonly gone?: readonly Lineage[] };
  /**
   * `off`: both machines have said so. `unproven`: they have not agreed yet (docs/decisions/witness-off.md); or a BMC was not seen to keep its tag over a
   * reset, or was seen to forget it. The tags are written and read as ever, and what they claim counts; that they claim nothing proves nothing.
   */
  readonly witness: "on" | "off" | "unproven";
  /** Setup says that this site has never started. */
  readonly firstStart: boolean;
  readonly etcd: Etcd;
  /** Pacemaker has started the resource here. It starts nothing beside a peer that is still to be fenced. */
  readonly started: boolean;
  /** Why this machine's etcd is to end: for good or for a while, or only to be started again. Unknown where Pacemaker does not answer. */
  readonly stopping: "shutdown" | "standby" | "restart" | "unknown";
}

export const no_word: Word = { peerDown: false, accept: undefined, choose: undefined };

export const nothing_settled: Settled = { mine: 0, theirs: 0 };

/** Of a machine that has never held data. */
export const empty: Holding = {
  data: false,
  standing: "none",
  soleVoter: false,
  removalInLog: false,
  tailLost: false,
  lineage: undefined,
  full: false,
  takeover: undefined,
  left: false,
  surrendered: undefined,
  settled: nothing_settled,
  others: "",
  echo: "",
};
