import { saysUnknown } from "./accepted.ts";
import { chosen, isShown } from "./choice.ts";
import type { Choice, Facts, Tag } from "./facts.ts";
import { gaveUp, isClaim, raising } from "./lineage.ts";

/**
 * Nothing but an admin's word says that the peer is gone, and nobody accepted what can't be known. Then the peer may live, and somebody may
 * say the same there in this very second: the tags alone keep the two apart, so one BMC that takes the tag is not enough.
 */
export const needsBothTags = (facts: Facts): boolean => {
  const { proof, word } = facts;
  return proof !== "off" && !gaveUp(facts) && !saysUnknown(word);
};

/**
 * May a takeover that stands on a word replace this tag, by what it was begun on? Its own, one that claims nothing, and one whose loss was
 * named: it stood there when this began. Not one that came up since, whatever its number: the peer's takeover may have begun by an older or a newer
 * one. And none that says nothing: anything may be behind it.
 */
export const mayReplaceByWord = (facts: Facts, tag: Tag): boolean => {
  if (tag.kind !== "lineage") return false;
  const { tags, word } = facts;
  const stoodThere = [tags.mine, tags.theirs].some((each) => raising(each, tag) === "same");
  const isNamed = typeof word.accept === "number" && tag.epoch <= word.accept && stoodThere;
  return tag.owner === facts.me || isNamed || !isClaim(facts, tag);
};

/** The choice between two that are here which a takeover stands on. */
export const choiceUnder = (facts: Facts): Choice | undefined =>
  facts.peer.seen === "now" && chosen(facts) === "self" ? facts.word.choose : undefined;

/** The same for one that stands on such a choice: what was shown counts as named, and what can't be known is accepted. */
export const mayReplaceByChoice = (facts: Facts, choice: Choice, tag: Tag): boolean =>
  tag.kind !== "lineage" || tag.owner === facts.me || isShown(choice, tag) || !isClaim(facts, tag);
