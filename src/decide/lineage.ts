import type { Facts, Holding, Lineage, Tag } from "./facts.ts";

/**
 * `tie`: nobody but a person can put them in order. The same epoch by two owners; or losses that were accepted on both machines,
 * each of which may know nothing of the other's: the higher number is not the later.
 */
export type Order = "same" | "higher" | "lower" | "tie";

export function compare(own: Lineage, other: Lineage): Order {
  if (acceptedApart(own.epoch, other.epoch)) return "tie";
  if (own.epoch !== other.epoch) return own.epoch > other.epoch ? "higher" : "lower";
  return own.owner === other.owner ? "same" : "tie";
}

/** As `compare`; no lineage is lower than any, and two without are the same. */
export function rank(own: Lineage | undefined, other: Lineage | undefined): Order {
  if (own !== undefined && other !== undefined) return compare(own, other);
  if (own === other) return "same";
  return own === undefined ? "lower" : "higher";
}

/** What the peer published in this boot. */
export const heard = ({ peer }: Facts): Holding | undefined =>
  peer.seen === "never" ? undefined : peer.facts;

/**
 * Does this machine know from its peer what the peer holds? Not from one that has lost its disk, or duet's file on it: it can't
 * tell whether it ever served alone. And not where an admin's word is all that says that the peer is gone: it may live, and
 * somebody may have said the same there. Then only the tags can tell, or a loss is accepted.
 */
export const isInformed = (facts: Facts): boolean =>
  heard(facts)?.lineage !== undefined && !isGoneByWordAlone(facts);

export const isGoneByWordAlone = (facts: Facts): boolean =>
  doesWordCount(facts) &&
  facts.peer.seen === "before" &&
  facts.proof !== "off" &&
  !gaveUp(facts) &&
  !hasNoRival(facts);

/** Of two machines at most one is the only voter by its log: no word for the other lets that one serve the same data, too. */
const hasNoRival = (facts: Facts): boolean => facts.self.soleVoter && heard(facts)?.lineage !== undefined;

/**
 * Is the peer's word of the data that it serves now? Within one membership its lineage can change only after this machine's
 * surrender, by a takeover to that epoch or a later one; a sole voter goes on with the epoch that it has. An older word would make
 * a joiner write the wrong lineage beside its data.
 */
export function saysWhatItServes(facts: Facts): boolean {
  const theirs = heard(facts);
  if (theirs?.lineage === undefined) return false;
  const { surrendered } = facts.self;
  return surrendered === undefined || theirs.soleVoter || theirs.lineage.epoch >= surrendered;
}

/** May this member's data be run by a voter, if the cluster lets it? */
export const isVoter = (holding: Holding): boolean =>
  holding.data &&
  holding.lineage !== undefined &&
  holding.standing === "voter" &&
  !holding.removalInLog &&
  !holding.tailLost;

/** A learner whose etcd can go on from what is there. One that lost the end of its log would be told of more than it has, and die. */
export const canFollow = (holding: Holding): boolean =>
  holding.data && holding.standing === "learner" && !holding.tailLost;

export const isFullVoter = (holding: Holding): boolean =>
  isVoter(holding) && (holding.full || holding.soleVoter);

/** An own takeover has begun, and has not come to its end. One that was abandoned has. */
export const isUnderWay = ({ takeover }: Pick<Holding, "takeover">): boolean =>
  takeover?.step === "intent" || takeover?.step === "served";

/** This machine's own takeover reached `served`, and its etcd has not been seen alone since. */
export const isOwed = ({ self, me }: Facts): boolean =>
  self.takeover?.step === "served" &&
  self.takeover.epoch === self.lineage?.epoch &&
  self.lineage.owner === me;

/**
 * The peer gave its data up, and has not joined anew since. It can only join through this machine's log, as a member with a new
 * id; and a surrender names the members that it was said to. So an old word that is heard late, or whose end was not heard,
 * says nothing about the member that the log holds now (docs/decisions/from-the-simulator.md).
 */
export function gaveUp(facts: Facts): boolean {
  const theirs = heard(facts);
  return theirs?.surrendered !== undefined && theirs.echo === facts.self.others;
}

/**
 * A word counts where no BMC answers. One that does can switch the peer off, which is better than a word; and one that is wrong can be
 * unplugged.
 */
const doesWordCount = ({ word, peer, peerPower }: Facts): boolean =>
  word.peerDown && peer.seen !== "now" && (peerPower === "unreadable" || peerPower === "fed");

/** Off for this loss, the peer's durable surrender, or the admin's word. */
export const isProvenGone = (facts: Facts): boolean =>
  gaveUp(facts) || facts.proof === "off" || doesWordCount(facts);

/** For a takeover under way, before its point of no return: is what it stands on still there? */
export const mayGoOn = (facts: Facts): boolean =>
  isProvenGone(facts) && (facts.peer.seen !== "now" || gaveUp(facts));

/**
 * What a BMC's tag is to a lineage that is to stand there: the same, one that must stay, or one that is raised. It is never
 * lowered, and goes by its number alone: a loss that was accepted over a tag replaces it.
 */
export function raising(tag: Tag, lineage: Lineage): "same" | "stays" | "raised" {
  if (tag.kind !== "lineage" || tag.epoch < lineage.epoch) return "raised";
  return tag.epoch === lineage.epoch && tag.owner === lineage.owner ? "same" : "stays";
}

/** None where the site has no witness: what stands in its BMCs, from another time perhaps, says nothing. */
export const tagsOf = ({ tags, witness }: Facts): readonly Tag[] =>
  witness === "off" ? [] : [tags.mine, tags.theirs];

/** And what they said earlier in this boot. It may only ever accuse: no tag that is gone makes one readable. */
export const tagsHeard = (facts: Facts): readonly Tag[] => {
  const { witness, tags } = facts;
  const gone = witness === "off" ? [] : (tags.gone ?? []);
  return [...tagsOf(facts), ...gone.map((lineage) => ({ kind: "lineage", ...lineage }) as const)];
};

/** A tag that is missing, foreign or of another site counts as a BMC that does not answer. */
export const isReadable = (tag: Tag): boolean => tag.kind === "lineage";

/** Both, from BMCs that keep them: then they tell whether the peer served alone. */
export const areTagsRead = (facts: Facts): boolean =>
  facts.witness === "on" && tagsOf(facts).every(isReadable);

/**
 * Does the tag stand for data newer than this machine's, or may it? Not if it is lower or this machine's own lineage, and not
 * if it is known that its takeover never served and that it hides nothing:
 * - it is settled;
 * - the peer told in this boot that its data is not newer than this machine's: its disk would hold the lineage if it had
 *   served. It can't have served since: that takes proof that this machine was off, or this machine's surrender; or an admin's word,
 *   and that may be wrong: of a peer that is lost, only a tag that is no later than what it told of. With an intent still
 *   open, or data given up, nothing is sure;
 * - it is this machine's own, and its disk knows of the takeover: it would hold the lineage, too. A disk that knows nothing of it is an
 *   older one that was put back, from an image perhaps. And not after an accepted loss: that tag was written over one that nobody
 *   read, or that was higher, and may hide what the peer holds.
 */
export function isClaim(facts: Facts, tag: Tag): boolean {
  const { self, me } = facts;
  if (tag.kind !== "lineage") return false;
  const order = rank(self.lineage, tag);
  if (order === "same" || order === "higher") return false;
  const own = tag.owner === me;
  if (tag.epoch <= (own ? self.settled.mine : self.settled.theirs)) return false;
  const isMeant = own && tag.epoch <= (self.takeover?.epoch ?? 0);
  if (isMeant && lossesBefore(tag.epoch) === lossesBefore(self.lineage?.epoch ?? 0)) return false;
  const theirs = heard(facts);
  const denied =
    self.surrendered === undefined &&
    theirs?.lineage !== undefined &&
    !isNewer(theirs.lineage, self.lineage) &&
    theirs.takeover?.step !== "intent" &&
    (own || facts.peer.seen === "now" || tag.epoch <= epochsOf(theirs));
  return !denied;
}

/** The highest epoch that stands for data newer than this machine's; 0 if none does. */
export const newestClaim = (facts: Facts): number =>
  Math.max(0, ...claimsOf(facts).map(({ epoch }) => epoch));

/**
 * What stands for data newer than this machine's, by tags and by the peer's word. The tag of an own takeover that an accepted loss began, and
 * that is tried again, stands for no more than was accepted then: beside another claim it is none, however high.
 */
export function claimsOf(facts: Facts): readonly Lineage[] {
  const { self, me } = facts;
  const claims = tagsHeard(facts).flatMap((tag) =>
    tag.kind === "lineage" && isClaim(facts, tag) ? [tag] : [],
  );
  const theirs = heard(facts)?.lineage;
  const isBegun = ({ epoch, owner }: Lineage): boolean =>
    owner === me &&
    beginsAfterLoss(epoch) &&
    self.takeover?.step === "intent" &&
    self.takeover.epoch === epoch;
  const all = theirs !== undefined && isNewer(theirs, self.lineage) ? [...claims, theirs] : claims;
  const others = all.filter((claim) => !isBegun(claim));
  return others.length === 0 ? all : others;
}

/** Higher, or a tie. */
export function isNewer(other: Lineage, own: Lineage | undefined): boolean {
  const order = rank(own, other);
  return order === "lower" || order === "tie";
}

/**
 * One more than every epoch that this machine has heard of: its own lineage and takeovers, every tag that was read, and what the
 * peer published. An epoch that was used once, even for an intent that came to nothing, is never used again: the other side
 * may have noted that it stands for nothing.
 */
export function nextEpoch(facts: Facts): number {
  const { self } = facts;
  const tags = tagsHeard(facts).map((tag) => (tag.kind === "lineage" ? tag.epoch : 0));
  return 1 + Math.max(...tags, epochsOf(self), epochsOf(heard(facts)));
}

/** A surrender is to this epoch or a later one: above all that either of the two holds. */
export const surrenderEpoch = (facts: Facts): number =>
  1 + Math.max(facts.self.lineage?.epoch ?? 0, heard(facts)?.lineage?.epoch ?? 0);

/** A BMC's tag has room for ten digits (src/agents/hands/tag.ts). */
export const epoch_max = 9_999_999_999;

/** An accepted loss begins a new million of epochs, so an epoch tells how many losses came before it. */
const lossesBefore = (epoch: number): number => Math.floor(epoch / epochs_per_loss);
/** So many takeovers no site sees: an ordinary one never reaches the next million. */
export const epochs_per_loss = 1_000_000;

/**
 * After an accepted loss: the start of a new million. An epoch that this machine could not read may be higher than all that
 * it knows, and must not win over what is acknowledged from here on. The odd millions are of the machine whose name comes
 * first, the even ones of the other: so no two losses begin the same one, and it tells where it was accepted.
 */
export function epochAfterLoss(facts: Facts): number {
  const begun = openLoss(facts);
  if (begun !== undefined) return begun;
  const next = lossesBefore(nextEpoch(facts) - 1) + 1;
  const odd = facts.me < facts.peerName ? 1 : 0;
  return (next % 2 === odd ? next : next + 1) * epochs_per_loss;
}

/**
 * The epoch of an own takeover after an accepted loss that is meant, and has not served: it is tried again, and with nobody to take the
 * tag for days each try would spend two millions, until no tag has room for the number. Nobody has noted that it stands for nothing:
 * that comes after R-ABANDON, which ends it. It must still be above everything else that is known.
 */
function openLoss(facts: Facts): number | undefined {
  const { self, me } = facts;
  if (self.takeover?.step !== "intent" || !beginsAfterLoss(self.takeover.epoch)) return undefined;
  const { epoch } = self.takeover;
  const others = tagsHeard(facts).map((tag) =>
    tag.kind !== "lineage" || (tag.epoch === epoch && tag.owner === me) ? 0 : tag.epoch,
  );
  const known = Math.max(...others, epochsOf({ ...self, takeover: undefined }), epochsOf(heard(facts)));
  return epoch > known ? epoch : undefined;
}

/** Two accepted losses, one on each machine. */
function acceptedApart(one: number, other: number): boolean {
  const [a, b] = [lossesBefore(one), lossesBefore(other)];
  return a > 0 && b > 0 && a % 2 !== b % 2;
}

/** On which of the two machines the last loss was accepted that data of this epoch comes after; undefined: none was. */
export function lossAcceptedOn(epoch: number, one: string, other: string): string | undefined {
  const losses = lossesBefore(epoch);
  if (losses === 0) return undefined;
  const [first, second] = one < other ? [one, other] : [other, one];
  return losses % 2 === 1 ? first : second;
}

/** What an accepted loss accepts: all that this machine can know of the peer's, so that it need not be asked about again. */
export function acceptedEpoch(facts: Facts): number {
  const tags = tagsHeard(facts).map((tag) =>
    tag.kind === "lineage" && tag.owner === facts.peerName ? tag.epoch : 0,
  );
  return Math.max(facts.self.settled.theirs, ...tags, epochsOf(heard(facts)));
}

/** The first epoch of a million, and no first epoch of all. */
export const beginsAfterLoss = (epoch: number): boolean => epoch > 0 && epoch % epochs_per_loss === 0;

/** Above all that clients can see of one lineage: a thousand writes in each second of eleven days. */
export const revisions_per_loss = 1_000_000_000;

/**
 * By how much etcd's revisions are raised after an accepted loss. Each loss has its own billion, as it has its own million of epochs: what
 * was lost may have been raised before, and more often than what is left.
 */
export const raiseOf = (epoch: number, revision: number): number =>
  Math.max(1, lossesBefore(epoch) - Math.floor(revision / revisions_per_loss)) * revisions_per_loss;

/** The highest epoch that a machine used for a takeover which came to nothing. It never uses it, or a lower one, again. */
export const epochSpent = ({ takeover, settled }: Holding): number =>
  Math.max(settled.mine, takeover?.step === "abandoned" ? takeover.epoch : 0);

const epochsOf = (holding: Holding | undefined): number =>
  holding === undefined
    ? 0
    : Math.max(
        holding.lineage?.epoch ?? 0,
        holding.takeover?.epoch ?? 0,
        holding.settled.mine,
        holding.settled.theirs,
      );
