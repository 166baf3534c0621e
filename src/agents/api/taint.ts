import type { State } from "../../facts/state.ts";
import { isUnderWay, rank } from "../../decide/lineage.ts";

/** Kubernetes' own word for a machine that is off, and that stays so: its pods may be replaced, and its volumes attached elsewhere. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}
export const outOfService: Taint = {
  key: "node.kubernetes.io/out-of-service",
  value: "nodeshutdown",
  effect: "NoExecute",
};

/** What this machine knows, for what it does about the taints. */
export interface TaintSight {
  /** Of duet's own file; undefined: it can't be read, or is not there. */
  readonly self: Pick<State, "lineage" | "full" | "takeover" | "left" | "surrendered"> | undefined;
  /** A Corosync member now; undefined: Corosync does not tell. */
  readonly peerHere: boolean | undefined;
  /** What the peer has said in this very membership. */
  readonly peer: Pick<State, "lineage" | "full"> | undefined;
  /** The membership in which the peer's Off was read is this one: of a membership with the peer in it nothing was. */
  readonly offProven: boolean;
  readonly tainted: Readonly<Record<Node, Tainted>>;
}

/**
 * Is the taint there? `foreign`: with another value, so that it is somebody else's; Kubernetes goes by the key, and takes no second one of
 * the same key and effect. `absent`: Kubernetes knows no such machine. Undefined: not looked at in this membership.
 */
export type Tainted = boolean | "foreign" | "absent" | undefined;

export type TaintDeed = "look" | "put" | "remove";
export type Node = "own" | "peer";

/**
 * What is to be done, the peer's machine first: somebody waits for its pods. The taint is put where Off is proven for this loss, and
 * for no other reason: not a time-out, not a kubelet that is silent, not an admin's word, not a leave by plan alone. It goes when the two
 * are whole again. A machine that serves is not out of service, whoever said so before it came back.
 */
export function taintDeeds(sight: TaintSight): readonly { readonly node: Node; readonly do: TaintDeed }[] {
  if (!doesServe(sight.self)) return [];
  const theirs = wanted(sight);
  return [
    ...(theirs === undefined ? [] : deedsFor("peer", theirs, sight.tainted.peer)),
    ...deedsFor("own", false, sight.tainted.own),
  ];
}

/** This machine serves, and its peer's Off is proven for this very membership: nothing runs there. */
export const isOut = (sight: Omit<TaintSight, "peer" | "tainted">): boolean =>
  doesServe(sight.self) && sight.peerHere === false && sight.offProven;

/** The peer is to have the taint, and has not: this machine takes over at present, or its API does not take it yet. */
export const isAwaited = (sight: TaintSight): boolean =>
  wanted(sight) === true && (sight.tainted.peer === false || sight.tainted.peer === undefined);

/** Those in service that somebody else calls out of service: they get no pods, and duet takes away only what it has put. */
export const shunned = (sight: TaintSight): readonly Node[] => {
  if (!doesServe(sight.self)) return [];
  const { own, peer } = sight.tainted;
  return [
    ...(own === "foreign" ? (["own"] as const) : []),
    ...(peer === "foreign" && wanted(sight) === false ? (["peer"] as const) : []),
  ];
};

/** It has the data, and no step of a takeover before it. */
const doesServe = (self: TaintSight["self"]): boolean =>
  self?.lineage !== undefined &&
  self.full &&
  !isUnderWay(self) &&
  !self.left &&
  self.surrendered === undefined;

/** Should the peer have the taint? Undefined: it stays as it is. */
function wanted({ self, peerHere, peer, offProven }: TaintSight): boolean | undefined {
  if (peerHere === false) return offProven ? true : undefined;
  const whole = peerHere === true && peer?.full === true && rank(self?.lineage, peer.lineage) === "same";
  return whole ? false : undefined;
}

function deedsFor(
  node: Node,
  should: boolean,
  is: Tainted,
): readonly { readonly node: Node; readonly do: TaintDeed }[] {
  if (is === should || is === "foreign" || is === "absent") return [];
  return [{ node, do: is === undefined ? "look" : should ? "put" : "remove" }];
}

const isInPlace = ({ key, effect }: Taint): boolean =>
  key === outOfService.key && effect === outOfService.effect;
const isOurs = (taint: Taint): boolean => isInPlace(taint) && taint.value === outOfService.value;

export const taintedBy = (taints: readonly Taint[]): boolean | "foreign" =>
  taints.some(isOurs) || (taints.some(isInPlace) && "foreign");

/** The list as it is to be: Kubernetes takes it as a whole. What else is in it stays as it is. */
export const changedTaints = <T extends Taint>(
  taints: readonly T[],
  deed: "put" | "remove",
): readonly (T | Taint)[] => {
  const others = taints.filter((each) => !isOurs(each));
  return deed === "put" && !others.some(isInPlace) ? [...others, outOfService] : others;
};
