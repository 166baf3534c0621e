import { chosen } from "./choice.ts";
import type { Facts, Holding, Settled } from "./facts.ts";
import { empty } from "./facts.ts";
import {
  canFollow,
  epochSpent,
  gaveUp,
  heard,
  isFullVoter,
  isOwed,
  isVoter,
  nextEpoch,
  rank,
  saysWhatItServes,
  surrenderEpoch,
} from "./lineage.ts";
import { failed_starts_max, isLastCopy } from "./rules-etcd.ts";
import { isServable } from "./rules-takeover.ts";
import { always, needsHuman, type Rule, type Table, wait } from "./rule.ts";
import { isMisledByPeer, isOlderThanCluster, isOlderThanData } from "./versions.ts";

const startPlain = () => ({ do: "start-plain" }) as const;
const askTakeover = () => ({ do: "ask", table: "takeover" }) as const;

/** After R-NO-FACTS the peer's facts are always there. */
const theirs = (facts: Facts): Holding => heard(facts) ?? empty;
const order = (facts: Facts) => rank(facts.self.lineage, theirs(facts).lineage);
const same = (facts: Facts): boolean => facts.self.lineage !== undefined && order(facts) === "same";
/** A takeover that is not finished may still have its force flag, and no member may be added while that is there. */
const peerServes = (facts: Facts): boolean =>
  facts.peer.seen === "now" && facts.peer.serving && theirs(facts).takeover?.step !== "served";
const spent = (facts: Facts): Settled => ({
  mine: epochSpent(facts.self),
  theirs: Math.max(facts.self.settled.theirs, epochSpent(theirs(facts))),
});
/** Pacemaker waits for a fence that nobody can do now. */
const isBlocked = ({ started, peer, fencePending, peerPower, proof, word }: Facts): boolean =>
  !started &&
  peer.seen === "before" &&
  fencePending &&
  peerPower === "unreadable" &&
  proof !== "off" &&
  !word.peerDown;
const noneOpen = (facts: Facts): boolean => theirs(facts).takeover?.step !== "intent";
/** What this machine holds must not run beside the peer's. */
const mustYield = (facts: Facts): boolean =>
  order(facts) === "lower" || !facts.self.data || (!isVoter(facts.self) && !canFollow(facts.self));
/** Given up for a peer that could serve then. */
const mayYield = (facts: Facts): boolean =>
  facts.self.surrendered === undefined &&
  isFullVoter(theirs(facts)) &&
  theirs(facts).surrendered === undefined &&
  mustYield(facts);
// A peer that serves older data than this machine's is a tie, too: one of the two was served without the other.
const isTied = (facts: Facts): boolean =>
  facts.self.data &&
  theirs(facts).data &&
  (order(facts) === "tie" || (order(facts) === "higher" && facts.peer.seen === "now" && facts.peer.serving));
const isLeftByPeer = (facts: Facts): boolean =>
  facts.self.data && facts.peer.seen === "now" && facts.peer.leaving && mustYield(facts);
const joinsAfterGivingUp = (facts: Facts): boolean =>
  facts.self.surrendered !== undefined && peerServes(facts) && saysWhatItServes(facts);
const joins = (facts: Facts): boolean =>
  peerServes(facts) &&
  (!facts.self.data ||
    order(facts) === "lower" ||
    (same(facts) && !isVoter(facts.self) && !canFollow(facts.self)));
const joinsAnew = (facts: Facts): boolean =>
  facts.self.standing === "learner" &&
  same(facts) &&
  !facts.etcd.running &&
  facts.etcd.failedStarts >= failed_starts_max &&
  peerServes(facts);
/** One of the rules below would let it join. */
const isJoiner = (facts: Facts): boolean =>
  facts.self.surrendered === undefined
    ? !isTied(facts) && !isLeftByPeer(facts) && (joins(facts) || joinsAnew(facts))
    : joinsAfterGivingUp(facts);
/** R-LEARNER would start it. */
const wouldFollow = (facts: Facts): boolean =>
  facts.self.surrendered === undefined && !facts.etcd.running && canFollow(facts.self) && same(facts);
/**
 * What it meant goes on beside a peer that gave up, and that means nothing itself: it is tried again, and an end of it in between would hide for how
 * long it has come to nothing, and spend epochs. Not where it is another's turn by a choice, and not for what was given up on both.
 */
const goesOn = (facts: Facts): boolean => {
  const { self, etcd } = facts;
  const whose = chosen(facts);
  const mayGoOn = self.surrendered === undefined ? whose !== "peer" : whose === "self";
  return gaveUp(facts) && noneOpen(facts) && mayGoOn && !(etcd.running && etcd.leader);
};
const surrender = (facts: Facts) => ({ do: "surrender", epoch: surrenderEpoch(facts) }) as const;

/** Before anything is started: is the past settled, and is there a peer to compare with? */
const before: readonly Rule[] = [
  {
    id: "R-ABANDON",
    sentence:
      "{me} meant to take over, and {peer} is back before it served: the intent is given up, for good",
    when: (facts) => facts.peer.seen === "now" && facts.self.takeover?.step === "intent" && !goesOn(facts),
    decide: ({ self }) => ({ do: "abandon", epoch: self.takeover?.epoch ?? 0 }),
  },
  {
    id: "R-SETTLE",
    sentence:
      "both hold {own}, and takeovers that were meant since never served: {me} notes that their tags stand for nothing",
    when: (facts) => {
      const { mine, theirs } = spent(facts);
      const news = mine > facts.self.settled.mine || theirs > facts.self.settled.theirs;
      const isMeant = facts.self.takeover?.step === "intent";
      return facts.peer.seen === "now" && !isMeant && noneOpen(facts) && same(facts) && news;
    },
    decide: (facts) => ({ do: "settle", settled: spent(facts) }),
  },
  {
    id: "R-CHOSEN-PEER",
    sentence: "an admin chose the data of {peer}: {me} gives its own up",
    // Also of a machine that serves; and never for a peer that could not, or that is going.
    when: (facts) =>
      chosen(facts) === "peer" &&
      facts.peer.seen === "now" &&
      !facts.peer.leaving &&
      isFullVoter(theirs(facts)) &&
      facts.self.surrendered === undefined,
    decide: surrender,
  },
  {
    id: "R-RUNNING",
    sentence: "etcd runs on {me}, has a leader, and nothing is left to do: it goes on",
    when: (facts) => facts.etcd.running && facts.etcd.leader && isFullVoter(facts.self) && !isOwed(facts),
    decide: () => ({ do: "serve-as-is" }),
  },
  {
    id: "R-STOP-FAILED",
    sentence:
      "etcd on {peer} could not be stopped or given up, and {me} may not switch {peer} off for that: see that it is stopped and its disk takes writes, then `crm_resource --cleanup` on {peer}",
    // Who has nothing to run beside it first says so: that may be all that the peer waits for, once its disk lets go.
    when: (facts) => facts.peer.seen === "now" && facts.peer.stuck && !mayYield(facts),
    decide: needsHuman,
  },
  {
    id: "R-START-BLOCKED",
    sentence:
      "nothing is started on {me} before {peer} is fenced, and its BMC does not answer: see that {peer} is off, then `{confirm}`",
    when: (facts) => isBlocked(facts) && isServable(facts),
    decide: needsHuman,
  },
  {
    id: "R-ALONE",
    sentence: "{peer} is not here: may {me} serve without it?",
    when: ({ peer }) => peer.seen !== "now",
    decide: askTakeover,
  },
  {
    id: "R-NO-FACTS",
    sentence: "{peer} is here and has not told yet what it holds: {me} waits for that",
    when: (facts) => heard(facts) === undefined,
    decide: wait,
  },
  {
    id: "R-PEER-INTENT",
    sentence: "{peer} has a takeover of its own open: {me} waits until {peer} gives it up",
    when: (facts) => !noneOpen(facts),
    decide: wait,
  },
];

/** Data that was given up, or that is on no machine. */
const given: readonly Rule[] = [
  {
    id: "R-CHOSEN-SELF",
    sentence: "an admin chose the data of {me}: may it serve without {peer}?",
    when: (facts) => chosen(facts) === "self" && facts.self.data,
    decide: askTakeover,
  },
  {
    id: "R-BOTH-GAVE-UP",
    sentence: "both machines gave their data up for the other's: an admin has to choose (`duet choose-data`)",
    when: (facts) => facts.self.surrendered !== undefined && theirs(facts).surrendered !== undefined,
    decide: needsHuman,
  },
  {
    id: "R-OLD-ETCD-JOIN",
    sentence:
      "{peer} serves a cluster of etcd {cluster}, and the etcd that is installed on {me} is {etcd}: it would not be let in, so it does not join, and nothing was touched; install etcd {cluster} or later on {me}, and it joins by itself",
    when: (facts) => isJoiner(facts) && isOlderThanCluster(facts),
    decide: needsHuman,
  },
  {
    id: "R-NEW-ETCD-JOIN",
    sentence:
      "the etcd that is installed on {me} is {etcd}, and {peer} serves with {peerEtcd}, which would hand it a wrong list of members: it does not join, and nothing was touched; install etcd 3.5.26 or a later 3.5 on {me}, then on {peer}, and only then the new one (docs/upgrade-etcd.md)",
    // A learner that is behind its peer's compaction is handed the same list.
    when: (facts) => (isJoiner(facts) || wouldFollow(facts)) && isMisledByPeer(facts),
    decide: needsHuman,
  },
  {
    id: "R-JOIN-AFTER-GIVING-UP",
    sentence: "{me} gave its data up and {peer} serves: the data is moved aside, and {me} joins as a learner",
    when: joinsAfterGivingUp,
    decide: () => ({ do: "join-as-learner" }),
  },
  {
    id: "R-WAIT-AFTER-GIVING-UP",
    sentence: "{me} gave its data up: it waits for {peer} to serve",
    when: ({ self }) => self.surrendered !== undefined,
    decide: wait,
  },
  {
    id: "R-FIRST-START",
    sentence:
      "neither machine holds data, and setup says that this is the first start: {me} makes the new cluster",
    when: (facts) => !facts.self.data && !theirs(facts).data && facts.firstStart && facts.me < facts.peerName,
    decide: (facts) => ({ do: "new-cluster", epoch: nextEpoch(facts) }),
  },
  {
    id: "R-FIRST-START-PEER",
    sentence:
      "neither machine holds data, and setup says that this is the first start: {peer} makes the new cluster",
    when: (facts) => !facts.self.data && !theirs(facts).data && facts.firstStart,
    decide: wait,
  },
  {
    id: "R-NO-DATA-ANYWHERE",
    sentence:
      "neither machine holds data, and this is not the first start: restore a backup, or set the site up anew",
    when: (facts) => !facts.self.data && !theirs(facts).data,
    decide: needsHuman,
  },
];

/** Two machines with different data, or one with none. */
const differ: readonly Rule[] = [
  {
    id: "R-TIE",
    sentence:
      "{me} holds {own}, {peer} holds {theirs}: both may have served, neither starts, nothing is deleted; an admin has to choose (`duet choose-data`)",
    when: isTied,
    decide: needsHuman,
  },
  {
    id: "R-PEER-LEAVES",
    sentence:
      "{peer} is leaving, and what it says of itself is from before: {me} ({own}) gives nothing up for it, and waits until it is gone or stays",
    when: isLeftByPeer,
    decide: wait,
  },
  {
    id: "R-JOIN",
    sentence:
      "{peer} serves {theirs}, {me} has no voter's data of it ({own}): what there is is moved aside, and {me} joins as a learner",
    when: joins,
    decide: () => ({ do: "join-as-learner" }),
  },
  {
    id: "R-NO-VOTER",
    sentence:
      "no machine holds data that a full voter left ({me}: {own}, {peer}: {theirs}): restore a backup",
    when: (facts) => !isVoter(facts.self) && !isVoter(theirs(facts)),
    decide: needsHuman,
  },
  {
    id: "R-NEWEST-UNFIT",
    sentence:
      "the newest data ({own} on {me}, {theirs} on {peer}) can't be served by the machine that holds it: repair it, or accept its loss on the other",
    when: (facts) =>
      (facts.self.data && order(facts) === "higher" && !isFullVoter(facts.self)) ||
      (theirs(facts).data && order(facts) === "lower" && !isFullVoter(theirs(facts))),
    decide: needsHuman,
  },
  {
    id: "R-GIVE-UP",
    sentence:
      "{peer} holds {theirs} as a full voter, and the data of {me} ({own}) must not run beside it: {me} gives it up, so that {peer} may serve",
    when: mayYield,
    decide: surrender,
  },
];

/** The same data on both, or this machine's is the newer. */
const go: readonly Rule[] = [
  {
    id: "R-PEER-UNFIT",
    sentence:
      "{me} holds the newest data, and {peer} ({theirs}) must not run beside it: may {me} serve without it?",
    when: (facts) =>
      isVoter(facts.self) &&
      (!same(facts) ||
        theirs(facts).surrendered !== undefined ||
        (!isVoter(theirs(facts)) && !canFollow(theirs(facts)))),
    decide: askTakeover,
  },
  {
    id: "R-OLD-ETCD-GIVE-UP",
    sentence:
      "the etcd that is installed on {me} is {etcd}, and its data is of {dataEtcd}: an older one is never started on it; {peer} is a full voter that can't serve without {me}, so {me} gives its data up",
    when: (facts) =>
      !facts.etcd.running &&
      isOlderThanData(facts) &&
      isVoter(facts.self) &&
      facts.peer.seen === "now" &&
      !facts.peer.serving &&
      !isLastCopy(facts),
    decide: surrender,
  },
  {
    id: "R-OLD-ETCD",
    sentence:
      "the etcd that is installed on {me} is {etcd}, and its data is of {dataEtcd}: an older one is never started on it, and nothing was touched; install etcd {dataEtcd} or later on {me}, and it goes on by itself",
    when: (facts) => !facts.etcd.running && isOlderThanData(facts),
    decide: needsHuman,
  },
  {
    id: "R-BOTH-VOTERS",
    sentence: "both machines are voters of {own}: both start as they are, and nothing is erased",
    when: (facts) => isVoter(facts.self) && isVoter(theirs(facts)),
    decide: startPlain,
  },
  {
    id: "R-VOTER",
    sentence: "{me} is a voter of {own}, {peer} its learner: {me} starts as it is",
    when: (facts) => isVoter(facts.self),
    decide: startPlain,
  },
  {
    id: "R-LEARNER-ANEW",
    sentence:
      "etcd on {me}, a learner of {own}, does not start, and {peer} serves: the learner's data is moved aside, and {me} joins anew",
    when: joinsAnew,
    decide: () => ({ do: "join-as-learner" }),
  },
  {
    id: "R-LEARNER",
    sentence: "{me} is a learner of {own}, {peer} a voter of it: {me} goes on as a learner",
    when: (facts) => canFollow(facts.self) && same(facts),
    decide: () => ({ do: "follow-as-learner" }),
  },
  {
    id: "R-STUCK",
    sentence:
      "{me} ({own}) can't be started, and {peer} ({theirs}) is not full or gave its data up: an admin has to choose (`duet choose-data`) or restore a backup",
    when: always,
    decide: needsHuman,
  },
];

export const startTable: Table = {
  name: "start",
  question: "How do I start?",
  design: "3.4",
  rules: [...before, ...given, ...differ, ...go],
};
