import { namesEpoch, saysUnknown } from "./accepted.ts";
import { chosen, isBetweenHistories, isOlderThanShown, isShown } from "./choice.ts";
import type { Facts, Lineage } from "./facts.ts";
import {
  areTagsRead,
  beginsAfterLoss,
  claimsOf,
  epochAfterLoss,
  gaveUp,
  heard,
  isClaim,
  isFullVoter,
  isGoneByWordAlone,
  isInformed,
  isNewer,
  isOwed,
  isProvenGone,
  isReadable,
  lossAcceptedOn,
  newestClaim,
  nextEpoch,
  rank,
  tagsHeard,
  tagsOf,
} from "./lineage.ts";
import { always, needsHuman, type Rule, type Table, wait } from "./rule.ts";
import { isOlderThanData } from "./versions.ts";

/**
 * The admin said which writes may be lost, and named the newest epoch that is known. `unknown` is no name: a script that always says so must not
 * make a stale machine serve of which one tag that can be read names the epoch, whatever the other one says, and whether the BMC is trusted
 * or not. A choice accepts what was shown to who made it, and nothing that came up since. A takeover that began on a word or a choice goes on: its
 * epoch is the first of a million of this machine's, which nobody else ever uses.
 */
const accepted = (facts: Facts): boolean => {
  const { word, self } = facts;
  const epoch = newestClaim(facts);
  if (isChosenAsShown(facts) || namesEpoch(word, epoch)) return true;
  const begun = self.takeover?.step === "intent" && self.takeover.epoch === epoch && isOwnLoss(facts, epoch);
  return begun && (word.accept !== undefined || isChosen(facts));
};

/** An ordinary takeover that came to nothing may have the number of one by which the peer served. */
const isOwnLoss = ({ me, peerName }: Facts, epoch: number): boolean =>
  beginsAfterLoss(epoch) && lossAcceptedOn(epoch, me, peerName) === me;

/** What can't be known is accepted by that word, and by no epoch that was named. */
const acceptedUnknown = (facts: Facts): boolean => saysUnknown(facts.word) || isChosen(facts);

/**
 * A choice is between data that both machines show. It names no epoch, so it is no word by which a machine that is alone serves older data: there it
 * only takes back what this one gave up, and a loss is accepted beside it.
 */
const isChosen = (facts: Facts): boolean => facts.peer.seen === "now" && chosen(facts) === "self";

/**
 * A tag may tell of a takeover that the peer has begun since, by a choice that this machine was not told of, and that it serves by without having said
 * so yet.
 */
const isChosenAsShown = (facts: Facts): boolean => {
  const { choose } = facts.word;
  if (choose === undefined || !isChosen(facts)) return false;
  const isGone = ({ epoch, owner }: Lineage): boolean =>
    facts.tags.gone?.some((tag) => tag.epoch === epoch && tag.owner === owner) === true;
  return claimsOf(facts).every(
    (claim) => isShown(choose, claim) || (isGone(claim) && isOlderThanShown(choose, claim)),
  );
};

/**
 * Of two different histories the newer was chosen, and the clients of the other may have seen the same revisions. Once that began a million of this
 * machine's own it is done: a start anew is no other choice.
 */
const isChosenOver = (facts: Facts): boolean => {
  const { choose } = facts.word;
  return choose !== undefined && isChosen(facts) && isBetweenHistories(choose, facts);
};

/** Nobody told here what the peer holds: not since this machine booted, or not since it gave its own data up for it. */
const isUnheard = (facts: Facts): boolean =>
  heard(facts)?.lineage === undefined || (facts.self.surrendered !== undefined && facts.peer.seen !== "now");

/** Nothing newer can be anywhere: not after an own surrender, on which the peer may have served with nobody told. Where an admin accepted a loss instead, the epoch must rise: the old one is not enough to win. */
const isNewest = (facts: Facts): boolean =>
  facts.self.surrendered === undefined &&
  newestClaim(facts) === 0 &&
  (isInformed(facts) || areTagsRead(facts));

/** The peer says that it is a full voter of the same data: then this machine can't be the only one, whatever its log says. */
const disputed = (facts: Facts): boolean => {
  const theirs = heard(facts);
  return theirs !== undefined && isFullVoter(theirs) && rank(facts.self.lineage, theirs.lineage) === "same";
};

/** A takeover that was cut short is finished first: a force flag or a ghost member may be left of it. */
const goOnAlone = (facts: Facts) =>
  isOwed(facts)
    ? ({ do: "resume-takeover", epoch: facts.self.lineage?.epoch ?? 0 } as const)
    : ({ do: "start-plain" } as const);

/** What this machine's own disk says: without all of this nothing that it hears can make it serve. */
const own: readonly Rule[] = [
  {
    id: "R-GAVE-UP",
    sentence:
      "{me} gave its data up and never starts with it again: it waits for {peer} to serve, and joins it; if {peer} is gone for good, `{choose}`",
    when: (facts) => facts.self.surrendered !== undefined && chosen(facts) !== "self",
    decide: wait,
  },
  {
    id: "R-NO-DATA",
    sentence:
      "{me} holds no data: it waits for {peer}, and joins it; if {peer} is gone for good, restore a backup",
    when: ({ self }) => !self.data,
    decide: wait,
  },
  {
    id: "R-NO-LINEAGE",
    sentence:
      "{me} holds data of unknown origin (duet's own file is missing or torn), and never starts with it: bring {peer} to serve, and {me} joins it; if {peer} is gone for good, restore a backup",
    when: ({ self }) => self.lineage === undefined,
    decide: needsHuman,
  },
  {
    id: "R-UNKNOWN",
    sentence:
      "the log of {me} can't be judged, so nobody may rely on it: bring {peer} to serve, and {me} joins it; if {peer} is gone for good, restore a backup",
    when: ({ self }) => self.standing === "unknown",
    decide: needsHuman,
  },
  {
    id: "R-REMOVAL",
    sentence:
      "something in the log of {me} removes it, so {peer} may serve without it: it waits for {peer}; if {peer} is gone for good, restore a backup",
    when: ({ self }) => self.removalInLog,
    decide: wait,
  },
  {
    id: "R-NOT-VOTER",
    sentence:
      "{me} is no voter by its own log, so {peer} may have acknowledged writes without it: it waits for {peer}; if {peer} is gone for good, restore a backup",
    when: ({ self }) => self.standing !== "voter",
    decide: wait,
  },
  {
    id: "R-TAIL-LOST",
    sentence:
      "the end of the log of {me} is lost (its database has seen more than its log holds): bring {peer} to serve, and {me} joins it; if {peer} is gone for good, restore a backup",
    when: ({ self }) => self.tailLost,
    decide: needsHuman,
  },
  {
    id: "R-NOT-FULL",
    sentence:
      "{me} is not known to hold everything that was acknowledged (it was promoted, and no marker came back): it waits for {peer}; if {peer} is gone for good, restore a backup",
    when: ({ self }) => !self.full && !self.soleVoter,
    decide: wait,
  },
  {
    id: "R-OLD-ETCD-ALONE",
    sentence:
      "the etcd that is installed on {me} is {etcd}, and its data is of {dataEtcd}: an older one is never started on it, so {me} neither takes over nor switches {peer} off; install etcd {dataEtcd} or later on {me}",
    when: isOlderThanData,
    decide: needsHuman,
  },
];

/** What this machine holds could be served, if the rest is right. Otherwise no word about the peer helps. */
export const isServable = (facts: Facts): boolean => !own.some(({ when }) => when(facts));

/** What others say: newer data may be elsewhere. */
const newer: readonly Rule[] = [
  {
    id: "R-NEWER-PEER",
    sentence:
      "{peer} holds {theirs}, {me} only {own}: it never starts with older data, unless an admin accepts the loss of {loss} (`{accept}`)",
    when: (facts) => {
      const theirs = heard(facts)?.lineage;
      return theirs !== undefined && isNewer(theirs, facts.self.lineage) && !accepted(facts);
    },
    decide: needsHuman,
  },
  {
    id: "R-NEWER-TAG",
    sentence:
      "a BMC's tag says, or has said, that epoch {newest} was taken over, {me} holds {own}: it never starts with older data, unless an admin accepts the loss of {loss} (`{accept}`)",
    when: (facts) => tagsHeard(facts).some((tag) => isClaim(facts, tag)) && !accepted(facts),
    decide: needsHuman,
  },
  {
    id: "R-WORD-ALONE",
    sentence:
      "nothing but an admin's word says that {peer} is gone, and the tags that would tell whether it served alone since can't be read or trusted: everything that it acknowledged after {own} would be lost, unless an admin accepts that (`{acceptUnknown}`)",
    when: (facts) => isGoneByWordAlone(facts) && !areTagsRead(facts) && !acceptedUnknown(facts),
    decide: needsHuman,
  },
  {
    id: "R-NO-WITNESS",
    sentence:
      "{me} was not told, since it booted or gave its own data up, what {peer} holds, and the site has no witness (`witness: off`), so to start alone needs a human: everything that {peer} acknowledged after {own} would be lost, unless an admin accepts that (`{acceptUnknown}`)",
    when: (facts) => facts.witness === "off" && isUnheard(facts) && !acceptedUnknown(facts),
    decide: needsHuman,
  },
  {
    id: "R-TAGS-UNREAD",
    sentence:
      "{me} was not told, since it booted or gave its own data up, what {peer} holds, and can't read both BMCs' tags: {peer} may have served alone, and everything that it acknowledged after {own} would be lost, unless an admin accepts that (`{acceptUnknown}`)",
    // Also of a BMC that has lost its tag, and is no witness for that: the tag that is not there is the plainer reason.
    when: (facts) => isUnheard(facts) && !tagsOf(facts).every(isReadable) && !acceptedUnknown(facts),
    decide: needsHuman,
  },
  {
    id: "R-TAGS-UNPROVEN",
    sentence:
      "{me} was not told, since it booted or gave its own data up, what {peer} holds, and the tags of the two BMCs are not known to tell: {peer} may have served alone, and everything that it acknowledged after {own} would be lost, unless an admin accepts that (`{acceptUnknown}`)",
    when: (facts) => isUnheard(facts) && facts.witness === "unproven" && !acceptedUnknown(facts),
    decide: needsHuman,
  },
];

/** Is the peer gone for sure? */
const gone: readonly Rule[] = [
  {
    id: "R-ALONE-ALREADY",
    sentence:
      "{me} is the only voter by its own log, and {peer}, heard in this boot, holds nothing newer: it goes on",
    when: (facts) =>
      facts.self.soleVoter &&
      isInformed(facts) &&
      isNewest(facts) &&
      !disputed(facts) &&
      !isChosenOver(facts),
    decide: goOnAlone,
  },
  {
    id: "R-PEER-HERE",
    sentence: "{peer} is here and has not given its data up: {me} does not serve without it",
    when: (facts) => facts.peer.seen === "now" && !gaveUp(facts),
    decide: wait,
  },
  {
    id: "R-WORD-OFF",
    sentence: "an admin said that {peer} is down, and its BMC says On: {me} switches it off, to be sure",
    when: ({ peer, peerPower, proof, word }) =>
      proof !== "off" && peer.seen === "never" && peerPower === "on" && word.peerDown,
    decide: () => ({ do: "prove-off" }),
  },
  {
    id: "R-PEER-ON",
    sentence:
      "{peer} can't be reached, but it is On and may serve: {me} waits for the wire, or for {peer}; if somebody has seen that {peer} does not serve, `duet confirm-peer-down` switches it off",
    when: (facts) => !isProvenGone(facts) && facts.peer.seen === "never" && facts.peerPower === "on",
    decide: wait,
  },
  {
    id: "R-POWER-UNREAD",
    sentence:
      "nobody can tell whether {peer} is off: its BMC does not answer; see that it is off, then `{confirm}`",
    when: (facts) =>
      !isProvenGone(facts) &&
      (facts.peerPower === "unreadable" || (facts.peerPower === "fed" && facts.peer.seen === "never")),
    decide: needsHuman,
  },
  {
    id: "R-PROVE-OFF",
    sentence:
      "{peer} reads Off, and {me} may serve without it what it holds ({own}): it commands Off once more, and reads it again",
    when: (facts) => !isProvenGone(facts) && facts.peer.seen === "never",
    decide: () => ({ do: "prove-off" }),
  },
  {
    id: "R-NO-FENCE",
    sentence:
      "{peer} left with a goodbye, or somebody confirmed its fence by hand, so nobody will fence it: {me} switches it off itself, to be sure",
    when: (facts) => !isProvenGone(facts) && !facts.fencePending,
    decide: () => ({ do: "prove-off" }),
  },
  {
    id: "R-NO-PROOF",
    sentence:
      "{peer} is lost, but was not read Off since: {me} waits for the fence, and serves nothing until then",
    when: (facts) => !isProvenGone(facts),
    decide: wait,
  },
];

const go: readonly Rule[] = [
  {
    id: "R-ACCEPTED-LOSS",
    sentence:
      "{peer} is off or gave up, and an admin accepted the loss of what only {peer} may hold: {me} takes over, with the first epoch of a new million",
    when: (facts) => !isNewest(facts) || isChosenOver(facts),
    decide: (facts) => ({ do: "take-over", epoch: epochAfterLoss(facts) }),
  },
  {
    id: "R-ALONE-AGAIN",
    sentence:
      "{peer} is off, nothing newer is known, and {me} is the only voter by its own log: it starts as it is",
    when: (facts) => facts.self.soleVoter && !disputed(facts),
    decide: goOnAlone,
  },
  {
    id: "R-RESUME",
    sentence:
      "{me} had taken over as {own} and was cut short before its etcd ran alone: it goes on from there",
    when: isOwed,
    decide: goOnAlone,
  },
  {
    id: "R-TAKE-OVER",
    sentence:
      "{peer} is off or gave up, and {me} holds everything that was acknowledged: it takes over as epoch {next}",
    when: always,
    decide: (facts) => ({ do: "take-over", epoch: nextEpoch(facts) }),
  },
];

/** Each rule before the last group is one condition for serving without the peer. */
export const takeoverTable: Table = {
  name: "takeover",
  question: "May I serve without my peer?",
  design: "3.2, 3.3, 3.7",
  rules: [...own, ...newer, ...gone, ...go],
};
