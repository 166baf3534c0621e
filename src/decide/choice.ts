import type { Choice, Facts, Holding, Lineage, Offer } from "./facts.ts";
import { beginsAfterLoss, heard, rank, tagsHeard } from "./lineage.ts";

/**
 * A choice is bound to what it was made between: the two data that a person was shown. It counts until one of the two is something else, and
 * what it leads to itself is nothing else. So it ends when it is carried out, and no later failure of the same membership meets it again.
 */
export interface Sides {
  readonly me: string;
  readonly peerName: string;
  readonly self: Holding;
  /** As it is told; undefined: it was not. */
  readonly theirs: Holding | undefined;
  /** What the BMCs' tags say, or said earlier in this boot; nothing where nobody chooses. */
  readonly tags?: readonly Lineage[];
}

const offerOf = (holding: Holding | undefined): Offer => ({
  lineage: holding?.lineage,
  surrendered: holding?.surrendered,
});

/** This choice, made now. */
export const choiceNow = (
  of: Choice["of"],
  { self, theirs, tags = [] }: Pick<Sides, "self" | "theirs" | "tags">,
): Choice => ({ of, mine: offerOf(self), theirs: offerOf(theirs), tags });

/** The same choice, as the other machine sees it. */
export const turned = ({ of, mine, theirs, tags }: Choice): Choice => ({
  of: of === "self" ? "peer" : "self",
  mine: theirs,
  theirs: mine,
  tags,
});

export const sidesOf = (facts: Facts): Sides => ({
  me: facts.me,
  peerName: facts.peerName,
  self: facts.self,
  theirs: heard(facts),
  tags: tagsHeard(facts).flatMap((tag) =>
    tag.kind === "lineage" ? [{ epoch: tag.epoch, owner: tag.owner }] : [],
  ),
});

/** All of it, as tags and as what the two hold. */
const shownBy = ({ mine, theirs, tags }: Choice): readonly Lineage[] =>
  [mine.lineage, theirs.lineage, ...tags].filter((shown) => shown !== undefined);

/** Was this shown to who chose? */
export const isShown = (choice: Choice, claim: Lineage): boolean =>
  shownBy(choice).some(({ epoch, owner }) => epoch === claim.epoch && owner === claim.owner);

/** Of what stands there no more the other machine, where the choice was made, may have read only what came after it. */
export const isOlderThanShown = (choice: Choice, { epoch, owner }: Lineage): boolean =>
  shownBy(choice).some((shown) => shown.owner === owner && shown.epoch > epoch);

/** Two that hold the same leave nothing to choose, unless one of them gave it up. */
export const differ = (one: Offer, other: Offer): boolean =>
  rank(one.lineage, other.lineage) !== "same" ||
  one.surrendered !== undefined ||
  other.surrendered !== undefined;

const isData = (now: Offer, shown: Offer): boolean => rank(now.lineage, shown.lineage) === "same";
const isSame = (now: Offer, shown: Offer): boolean =>
  isData(now, shown) && now.surrendered === shown.surrendered;

/** Neither holds anything but what it was made between, or what comes of it: who is not chosen gives up, who is chosen begins a new million. */
export function isOpen(choice: Choice, sides: Sides): boolean {
  const [winner, mine, theirs] =
    choice.of === "self"
      ? [sides.me, offerOf(sides.self), offerOf(sides.theirs)]
      : [sides.peerName, offerOf(sides.theirs), offerOf(sides.self)];
  const [shown, other] = choice.of === "self" ? [choice.mine, choice.theirs] : [choice.theirs, choice.mine];
  const gaveUp = other.surrendered === undefined && isData(theirs, other);
  if (!differ(shown, other) || !(isSame(theirs, other) || gaveUp)) return false;
  const { lineage, surrendered } = mine;
  const before = Math.max(shown.lineage?.epoch ?? 0, other.lineage?.epoch ?? 0);
  const isCarriedOut =
    lineage?.owner === winner &&
    beginsAfterLoss(lineage.epoch) &&
    lineage.epoch > before &&
    surrendered === undefined;
  return isSame(mine, shown) || isCarriedOut;
}

/** Whose data an admin chose, while that counts. Of a peer that is here and has told nothing nobody can have been shown anything. */
export function chosen(facts: Facts): Choice["of"] | undefined {
  const { word, peer } = facts;
  if (word.choose === undefined || (peer.seen === "now" && peer.facts === undefined)) return undefined;
  return isOpen(word.choose, sidesOf(facts)) ? word.choose.of : undefined;
}

/** It was made between two histories, and this machine's is still the one that was shown: what it begins has not begun. */
export const isBetweenHistories = ({ mine, theirs }: Choice, { self }: Facts): boolean =>
  theirs.lineage !== undefined &&
  rank(mine.lineage, theirs.lineage) !== "same" &&
  rank(self.lineage, mine.lineage) === "same";
