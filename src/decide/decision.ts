import type { Settled } from "./facts.ts";

/** Everything that a rule can decide. What an agent does with each is in src/act. */
export type Decision =
  /** Go on: etcd runs and has a leader. */
  | { readonly do: "serve-as-is" }
  /** Start etcd with the data that is there, with no force. */
  | { readonly do: "start-plain" }
  /** The first start of the site. */
  | { readonly do: "new-cluster"; readonly epoch: number }
  /** Become a cluster of one, as this epoch. */
  | { readonly do: "take-over"; readonly epoch: number }
  /** The same, where `served` is on disk and only the forced start is owed. */
  | { readonly do: "resume-takeover"; readonly epoch: number }
  /** Move what data there is aside, and join the serving peer. */
  | { readonly do: "join-as-learner" }
  /** Start etcd with the learner's data that is there. */
  | { readonly do: "follow-as-learner" }
  /** Give the own data up, durably, so that the peer may serve without it. */
  | { readonly do: "surrender"; readonly epoch: number }
  /** Note durably that the own intent came to nothing. */
  | { readonly do: "abandon"; readonly epoch: number }
  /** Note durably that these tags above the lineage stand for nothing. */
  | { readonly do: "settle"; readonly settled: Settled }
  /** Command the peer's Off and read it again, then decide anew. */
  | { readonly do: "prove-off" }
  /** Change nothing, and say why. */
  | { readonly do: "wait" }
  /** Change nothing, and say what a person has to do. */
  | { readonly do: "needs-human" }
  | { readonly do: "may-fence" }
  | { readonly do: "refuse-fence" }
  /** Give up membership through the peer, then stop. */
  | { readonly do: "leave" }
  /** Stop, and stay a member. */
  | { readonly do: "stop" }
  | { readonly do: "keep-tags" }
  /** Write the own lineage to these BMCs. */
  | { readonly do: "write-tags"; readonly bmcs: readonly ("mine" | "theirs")[] }
  | { readonly do: "stop-and-alarm" }
  | { readonly do: "restart-in-place" };

export type Deed = Decision["do"];

/** One table hands the question on to another. */
export interface Ask {
  readonly do: "ask";
  readonly table: "takeover";
}

/** Those that let this machine serve without its peer. */
export const servesAlone = (decision: Decision): boolean =>
  decision.do === "take-over" || decision.do === "resume-takeover";
