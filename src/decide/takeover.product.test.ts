import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./decide.ts";
import type { Facts, Tag } from "./facts.ts";
import { nextEpoch } from "./lineage.ts";
import { mayServeAlone } from "./model/oracle.ts";
import {
  everyTakeover,
  holdings,
  ordinary,
  own_lineages,
  peersForTakeover,
  tagPairs,
  words,
} from "./model/product.ts";
import { tables } from "./rules.ts";

test("for everything that can be told apart, a machine serves alone only where the design allows it", (t) => {
  let alone = 0;
  const rules = new Set<string>();
  const count = everyTakeover((facts) => {
    const { decision, decider } = judge("takeover", facts);
    rules.add(decider.id);
    const serves =
      decision.do === "take-over" || decision.do === "resume-takeover" || decision.do === "start-plain";
    if (serves) alone++;
    if (serves !== mayServeAlone(facts))
      assert.fail(
        `${decider.id} decides ${decision.do}, the design says ${serves ? "no" : "yes"}: ${say(facts)}`,
      );
    if (
      decider.id === "R-ACCEPTED-LOSS" &&
      facts.word.accept === undefined &&
      facts.word.choose?.of !== "self"
    )
      assert.fail(`nobody accepted a loss: ${say(facts)}`);
    if (decision.do === "take-over" && decision.epoch <= highest(besideOpenLoss(facts, decision.epoch)))
      assert.fail(`epoch ${decision.epoch} is not new: ${say(facts)}`);
  });
  t.diagnostic(`${count} combinations, in ${alone} of them it may serve alone`);
  assert.equal(rules.size, tables.takeover.rules.length, [...rules].join(" "));
});

/** A takeover after an accepted loss that is tried again has its own number: what is left are those of others. */
function besideOpenLoss(facts: Facts, epoch: number): Facts {
  const { self, tags, me: own } = facts;
  if (self.takeover?.step !== "intent" || self.takeover.epoch !== epoch || epoch % 1_000_000 !== 0)
    return facts;
  const other = (tag: Tag): Tag =>
    tag.kind === "lineage" && tag.epoch === epoch && tag.owner === own ? { kind: "blank" } : tag;
  return {
    ...facts,
    self: { ...self, takeover: undefined },
    tags: { mine: other(tags.mine), theirs: other(tags.theirs) },
  };
}

/** Independent of nextEpoch: every epoch that stands anywhere in the facts, tags only where they count. */
const highest = ({ tags, ...facts }: Facts): number =>
  Math.max(
    0,
    ...[
      ...JSON.stringify({
        ...facts,
        word: undefined,
        tags: facts.witness !== "off" ? tags : undefined,
      }).matchAll(/"(?:epoch|settled)":(\d+)/g),
    ].map((m) => Number(m[1])),
  );

const say = (facts: Facts): string => JSON.stringify(facts);

test("a tag that is blank or foreign counts like one that can't be read, and a proof that is void like none", () => {
  const kinds: readonly Tag["kind"][] = ["blank", "foreign"];
  for (const self of holdings(own_lineages))
    for (const peer of peersForTakeover())
      for (const { theirs } of tagPairs.slice(0, 6)) {
        const word = words[0];
        assert.ok(word);
        const facts = {
          ...ordinary,
          self,
          peer,
          word,
          tags: { mine: { kind: "unreadable" }, theirs },
        } as const;
        const said = judge("takeover", facts).decider.id;
        for (const kind of kinds)
          if (kind !== "lineage")
            assert.equal(judge("takeover", { ...facts, tags: { mine: { kind }, theirs } }).decider.id, said);
        assert.equal(judge("takeover", { ...facts, proof: "void" }).decider.id, said);
        assert.ok(nextEpoch(facts) > (self.takeover?.epoch ?? 0));
      }
});
