import { type Effects, success } from "../../src/act/effects.ts";
import { times_default } from "../../src/act/times.ts";
import type { Facts, Tag } from "../../src/decide/facts.ts";
import { isReadable, newestClaim } from "../../src/decide/lineage.ts";
import { saysOf, witnessBy } from "../agents/witness.ts";
import { witnessBack, witnessEdited } from "../faults/witness.ts";
import { overBothTags } from "../faults/bmc.ts";
import { eachItsOwnBmc, neitherSeesItsMachine } from "../faults/words.ts";
import { judgedBy, loss, type Plant, seenBy, seeing } from "./plant.ts";
import { without } from "./tables.ts";

const oneAfterTheOther = "one is lost, the other serves and is lost, and the first comes back alone";

/** As if it said that nothing is newer than what this machine holds. */
const silent = ({ self: { lineage } }: Facts, tag: Tag): Tag =>
  lineage === undefined ? tag : { kind: "lineage", ...lineage };

const nothingTold = (facts: Facts): Facts => {
  const { mine, theirs } = facts.tags;
  return { ...facts, witness: "on", tags: { mine: silent(facts, mine), theirs: silent(facts, theirs) } };
};

const offIsEnough = (facts: Facts): Facts => (facts.peer.seen === "never" ? nothingTold(facts) : facts);

const needsNoWitness = (facts: Facts): Facts => (facts.witness === "off" ? nothingTold(facts) : facts);

/** What the one says, the other would say too. */
const oneSpeaksForBoth = (facts: Facts): Facts => {
  const { mine, theirs } = facts.tags;
  if (isReadable(mine) === isReadable(theirs)) return facts;
  const read = isReadable(mine) ? mine : theirs;
  return { ...facts, tags: { mine: read, theirs: read } };
};

const blankIsNothing = (facts: Facts): Facts => {
  const read = (tag: Tag): Tag => (tag.kind === "blank" ? silent(facts, tag) : tag);
  return { ...facts, tags: { mine: read(facts.tags.mine), theirs: read(facts.tags.theirs) } };
};

const nothingGone = (facts: Facts): Facts => {
  const { mine, theirs } = facts.tags;
  return { ...facts, tags: { mine, theirs } };
};

/** Whoever says that the peer is down knows what he does: what is newer, and what nobody can read. */
const wordAccepts = (facts: Facts): Facts => {
  const { word } = facts;
  if (!word.peerDown || word.accept !== undefined) return facts;
  const newest = newestClaim(facts);
  return { ...facts, word: { ...word, accept: newest > 0 ? `${newest},unknown` : "unknown" } };
};

const wordIsOff = (facts: Facts): Facts =>
  facts.word.peerDown && facts.peer.seen !== "now" ? { ...facts, proof: "off" } : facts;

/** As on a proof: one tag is enough, the other is not waited for, and what stands there is judged by its number alone. */
const oneTagIsEnough = (effects: Effects): Effects => {
  let isFirstWritten = false;
  return {
    ...effects,
    bmc: {
      ...effects.bmc,
      raiseTag: async (bmc, lineage, deadline_ms, may) => {
        const isSecond = may !== undefined && isFirstWritten && bmc === "theirs";
        const raised = await effects.bmc.raiseTag(bmc, lineage, isSecond ? second_tag_ms : deadline_ms);
        if (bmc === "mine") isFirstWritten = raised.ok;
        return raised.ok || !isSecond ? raised : success("written");
      },
    },
  };
};

const { second_tag_ms } = times_default;

/** What a machine that boots alone may start on. */
export const alonePlants: readonly Plant[] = [
  {
    name: "alone-without-witness",
    sentence: "a machine that boots alone starts once its peer is off: no tag keeps it from that",
    pitfalls: [],
    stoppedBy:
      "R-NEWER-TAG, R-TAGS-UNREAD, R-TAGS-UNPROVEN: Off says that the peer does not serve now, a tag that it has served",
    checks: loss,
    favours: [oneAfterTheOther],
    tables: judgedBy("takeover", offIsEnough),
  },
  {
    name: "alone-with-witness-off",
    sentence: "at a site without a witness a machine that boots alone asks only whether its peer is off",
    pitfalls: [],
    stoppedBy: "R-NO-WITNESS",
    checks: loss,
    favours: [oneAfterTheOther],
    kind: "no witness, with a hasty admin",
    tables: seenBy(["takeover"], needsNoWitness),
  },
  {
    name: "witness-off-unheard",
    sentence:
      "a machine whose site file says `witness: off` leaves no tag from then on, whatever its peer goes by",
    pitfalls: [],
    stoppedBy: "`agreedOn`: who says `off` writes its tags until its peer has said so, too",
    checks: loss,
    favours: [witnessEdited, oneAfterTheOther],
    kind: "the witness is changed",
    effects: (effects, { node }) => ({
      ...effects,
      areTagsWritten: async () => saysOf(node) === "on",
      // Who serves looks after no tag either.
      decide: (question, facts) =>
        effects.decide(question, question === "tags" ? { ...facts, witness: saysOf(node) } : facts),
    }),
  },
  {
    name: "witness-on-at-once",
    sentence:
      "a machine whose site file says `witness: on` again goes by the tags from then on, though its peer may have left none",
    pitfalls: [],
    stoppedBy:
      "`agreedOn`: who has said `off` goes by no tag before its peer has noted that it says `on`, and the pair is whole",
    checks: loss,
    favours: [witnessBack],
    kind: "the witness is changed",
    effects: (effects, { node }) => ({
      ...effects,
      facts: async () => {
        const facts = await effects.facts();
        return saysOf(node) === "on" ? { ...facts, witness: witnessBy(node, "on") } : facts;
      },
    }),
  },
  {
    name: "read-one-bmc",
    sentence:
      "a machine that boots alone reads the tags, and one that can be read is enough; so is one that takes its own where a word is all it has",
    pitfalls: [],
    stoppedBy:
      "R-TAGS-UNREAD: a tag is written to one at least, and so it is read from both; and on a word both are written, so a silent one stops it as well",
    checks: loss,
    favours: ["a BMC's fault: lies", oneAfterTheOther],
    kind: "one stays dark",
    tables: seenBy(["takeover"], oneSpeaksForBoth),
    effects: oneTagIsEnough,
  },
  {
    name: "tag-forgotten",
    sentence:
      "a BMC that has forgotten its tag says that nobody took over; and who serves does not write it anew",
    pitfalls: [],
    stoppedBy: "R-TAGS-UNREAD: no tag counts as a BMC that does not answer; R-TAGS-BEHIND",
    checks: loss,
    favours: ["a BMC restarts, and forgets its tag", oneAfterTheOther],
    tables: {
      ...seenBy(["takeover"], blankIsNothing),
      tags: without("tags", "R-TAGS-BEHIND").tags,
    },
  },
  {
    name: "admin-word-beats-tag",
    sentence: "`duet confirm-peer-down` counts as an accepted loss: the admin has seen to everything",
    pitfalls: [],
    stoppedBy:
      "R-NEWER-TAG, R-TAGS-UNREAD, R-WORD-ALONE: the word replaces the proof of Off, never the reading of the tags",
    checks: loss,
    favours: [oneAfterTheOther],
    kind: "disks and tags are lost, with a hasty admin",
    tables: seenBy(["takeover"], wordAccepts),
  },
  {
    name: "claim-that-was-read-is-forgotten",
    sentence: "a tag counts as long as it stands there: what somebody has written over says nothing any more",
    pitfalls: [],
    stoppedBy: "R-NEWER-TAG: what a tag said in this boot is remembered",
    checks: loss,
    favours: [neitherSeesItsMachine, overBothTags],
    kind: "no power strip",
    ...seeing(nothingGone),
  },
  {
    name: "word-is-off",
    sentence: "an admin's word that the peer is down counts like an Off that was read",
    pitfalls: [],
    stoppedBy: "R-WORD-ALONE, R-WORD-OFF: two people may say it on two machines that live",
    checks: loss,
    favours: [eachItsOwnBmc],
    tables: seenBy(["takeover"], wordIsOff),
    // The steps ask too whether what they stand on is there.
    effects: (effects) => ({ ...effects, facts: async () => wordIsOff(await effects.facts()) }),
  },
  {
    name: "word-needs-one-tag",
    sentence:
      "a takeover on an admin's plain word serves as soon as one BMC has its tag, as one on a proof does",
    pitfalls: [],
    stoppedBy:
      "the steps `write the tag …` of a takeover that stands on a word: both are written, and only over what it was begun on",
    checks: loss,
    favours: [neitherSeesItsMachine],
    kind: "no power strip",
    effects: oneTagIsEnough,
  },
];
