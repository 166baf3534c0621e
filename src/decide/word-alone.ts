import { saysUnknown } from "./accepted.ts";
import type { Facts, Tag } from "./facts.ts";
import { gaveUp, isClaim } from "./lineage.ts";

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
 * named. Not one that came up since, whatever its number: the peer's takeover may have begun by an older or a newer one. And
 * none that says nothing: anything may be behind it.
 */
export const mayReplaceByWord = (facts: Facts, tag: Tag): boolean => {
  if (tag.kind !== "lineage") return false;
  const { accept } = facts.word;
  const isNamed = typeof accept === "number" && tag.epoch <= accept;
  return tag.owner === facts.me || isNamed || !isClaim(facts, tag);
};
