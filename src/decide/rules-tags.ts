import type { Facts, Tag } from "./facts.ts";
import { isClaim, tagsOf } from "./lineage.ts";
import { always, type Table } from "./rule.ts";

/** Lower than the own lineage, or forgotten. A foreign text is somebody's, and is left alone. */
const isBehind = ({ self }: Facts, tag: Tag): boolean =>
  tag.kind === "blank" || (tag.kind === "lineage" && tag.epoch < (self.lineage?.epoch ?? 0));

/** Asked again and again while etcd serves here. */
export const tagsTable: Table = {
  name: "tags",
  question: "I serve: what about the tags?",
  design: "3.7",
  rules: [
    {
      id: "R-TAGS-OFF",
      sentence: "the site has no witness: tags are neither read nor written",
      when: ({ witness, self }) => witness === "off" || self.lineage === undefined,
      decide: () => ({ do: "keep-tags" }),
    },
    {
      id: "R-TAGS-CLAIM",
      sentence:
        "a BMC's tag claims what {me} does not hold, while {me} serves {own}: another machine may have taken over; {me} stops, and an operator is called",
      when: (facts) => tagsOf(facts).some((tag) => isClaim(facts, tag)),
      decide: () => ({ do: "stop-and-alarm" }),
    },
    {
      id: "R-TAGS-BEHIND",
      sentence: "a BMC's tag is behind {own}: it is written anew",
      when: (facts) => tagsOf(facts).some((tag) => isBehind(facts, tag)),
      decide: (facts) => ({
        do: "write-tags",
        bmcs: (["mine", "theirs"] as const).filter((bmc) => isBehind(facts, facts.tags[bmc])),
      }),
    },
    {
      id: "R-TAGS-FOREIGN",
      sentence:
        "a text that is not duet's stands where a BMC's tag should: a machine that came back alone could not read there who served last, and would wait for a human",
      when: (facts) => tagsOf(facts).some(({ kind }) => kind === "foreign"),
      decide: () => ({ do: "keep-tags" }),
    },
    {
      id: "R-TAGS-KEEP",
      sentence: "each tag that can be read says {own}, or stands for nothing",
      when: always,
      decide: () => ({ do: "keep-tags" }),
    },
  ],
};
