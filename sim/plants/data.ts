import { done, success } from "../../src/act/effects.ts";
import type { Facts, Holding, Tag } from "../../src/decide/facts.ts";
import { heard, isClaim, tagsOf } from "../../src/decide/lineage.ts";
import { loss, outage, type Plant, seeing, seenBy } from "./plant.ts";
import { instead, without } from "./tables.ts";

const as = (standing: Holding["standing"]) => (facts: Facts) =>
  facts.self.standing === standing
    ? { ...facts, self: { ...facts.self, standing: "voter" as const, full: true, removalInLog: false } }
    : facts;

const withPeer = (facts: Facts, change: (holding: Holding) => Holding): Facts => {
  const { peer } = facts;
  return peer.seen === "never" || peer.facts === undefined
    ? facts
    : { ...facts, peer: { ...peer, facts: change(peer.facts) } };
};

const withTags = (facts: Facts, change: (tag: Tag) => Tag): Facts => ({
  ...facts,
  tags: { mine: change(facts.tags.mine), theirs: change(facts.tags.theirs) },
});

const ownTag = (tag: Tag, owner: string): Tag => (tag.kind === "lineage" ? { ...tag, owner } : tag);

/** Everything is this machine's own, or looks so. */
function ownerless(facts: Facts): Facts {
  const owner = facts.me;
  const bare = (holding: Holding): Holding =>
    holding.lineage === undefined ? holding : { ...holding, lineage: { ...holding.lineage, owner } };
  const seen = withPeer({ ...facts, self: bare(facts.self) }, bare);
  return withTags(seen, (tag) => ownTag(tag, owner));
}

/** With one cluster id there is one dataset, and tags tell nothing. */
function byClusterId(facts: Facts): Facts {
  const { lineage } = facts.self;
  if (lineage === undefined) return facts;
  const seen = withPeer(facts, (holding) => (holding.data ? { ...holding, lineage } : holding));
  return withTags(seen, () => ({ kind: "lineage", ...lineage }));
}

/** Of lineages and tags, and of nothing that came to nothing. */
const epochs = (facts: Facts): readonly number[] => [
  facts.self.lineage?.epoch ?? 0,
  heard(facts)?.lineage?.epoch ?? 0,
  ...tagsOf(facts).map((tag) => (tag.kind === "lineage" ? tag.epoch : 0)),
];

const becomesVoter = "a power cut, and the wire breaks when the machine is to become a voter again";
const oneAfterTheOther = "one is lost, the other serves and is lost, and the first comes back alone";
const cutShort = "one is lost, the other while it writes its tags, and both are back soon";

/** Who may serve, and with which data. */
export const dataPlants: readonly Plant[] = [
  {
    name: "plain-force-new-cluster",
    sentence: "a takeover forces a new cluster without the commit record",
    pitfalls: [5],
    stoppedBy: "the step `commit the log` of a takeover",
    checks: loss,
    favours: ["both links are cut"],
    effects: (effects) => ({ ...effects, disk: { ...effects.disk, commitLog: async () => done } }),
  },
  {
    name: "promote-window",
    sentence: "a voter by its own log may take over, full or not",
    pitfalls: [],
    stoppedBy: "R-NOT-FULL",
    checks: loss,
    favours: [becomesVoter],
    tables: without("takeover", "R-NOT-FULL"),
  },
  {
    name: "full-by-the-peers-index",
    sentence: "a joiner notes the highest index of both members as its own, and counts as full with it",
    pitfalls: [6],
    stoppedBy: "the steps `see this voter in the leader's list` and `write the marker`",
    checks: loss,
    favours: [becomesVoter],
    effects: (effects) => ({
      ...effects,
      disk: {
        ...effects.disk,
        writeState: (state) =>
          effects.disk.writeState({ ...state, full: state.full || state.lineage !== undefined }),
      },
    }),
  },
  {
    name: "learner-takes-over",
    sentence: "a learner may take over",
    pitfalls: [3],
    stoppedBy: "R-NOT-VOTER",
    checks: [...loss, ...outage],
    favours: ["a power cut, and another of the peer while the machine is a learner"],
    tables: seenBy(["takeover"], as("learner")),
  },
  {
    name: "removed-takes-over",
    sentence: "a member that left by plan may take over",
    pitfalls: [2],
    stoppedBy: "R-NOT-VOTER, R-REMOVAL",
    checks: [...loss, ...outage],
    favours: ["one leaves by plan, the other loses its power, and the first comes back alone"],
    tables: seenBy(["takeover"], as("removed")),
  },
  {
    name: "epoch-without-owner",
    sentence: "lineages are compared by epoch alone, so two takeovers of one epoch count as the same data",
    pitfalls: [],
    stoppedBy: "R-TIE, R-NEWER-TAG: a lineage is an epoch and its owner",
    checks: loss,
    favours: [cutShort, oneAfterTheOther],
    tables: seenBy(["start", "takeover", "tags"], ownerless),
    effects: (effects) => ({
      ...effects,
      bmc: {
        ...effects.bmc,
        raiseTag: async (bmc, lineage, deadline_ms, may) => {
          const seen = ownerless(await effects.facts());
          const looksOwn = (tag: Tag): boolean => !isClaim(seen, ownTag(tag, seen.me));
          const mayToo = (tag: Tag): boolean => may === undefined || may(tag) || looksOwn(tag);
          const raised = await effects.bmc.raiseTag(bmc, lineage, deadline_ms, mayToo);
          const tag = (await effects.facts()).tags[bmc];
          const same = tag.kind === "lineage" && tag.epoch === lineage.epoch;
          return raised.ok && same ? success("written") : raised;
        },
      },
    }),
  },
  {
    name: "epoch-own-plus-one",
    sentence:
      "a takeover raises its own epoch by one, and looks at neither tags nor what was given up before",
    pitfalls: [],
    stoppedBy: "R-TAKE-OVER: one more than every epoch that was ever heard of",
    checks: [...loss, ...outage],
    favours: [cutShort],
    kind: "one stays dark",
    tables: instead("takeover", ["R-TAKE-OVER"], {
      decide: ({ self }) => ({ do: "take-over", epoch: 1 + (self.lineage?.epoch ?? 0) }),
    }),
  },
  {
    name: "epoch-used-again",
    sentence: "a takeover takes the epoch of an intent that was given up, which the peer has noted as void",
    pitfalls: [],
    stoppedBy: "R-TAKE-OVER: an epoch that was used once, if only for an intent, is never used again",
    checks: loss,
    favours: [cutShort, oneAfterTheOther],
    tables: instead("takeover", ["R-TAKE-OVER"], {
      decide: (facts) => ({ do: "take-over", epoch: 1 + Math.max(...epochs(facts)) }),
    }),
  },
  {
    name: "cluster-id-shows-divergence",
    sentence: "the same cluster id counts as the same data; lineages and tags are not looked at",
    pitfalls: [14],
    stoppedBy: "R-NEWER-TAG, R-NEWER-PEER, R-JOIN: the lineage is compared, never the cluster id",
    checks: [...loss, ...outage],
    favours: [oneAfterTheOther],
    ...seeing(byClusterId),
    effects: (effects) => ({
      ...effects,
      facts: async () => byClusterId(await effects.facts()),
      own: async () => byClusterId(await effects.facts()),
      bmc: { ...effects.bmc, raiseTag: async () => success("written") },
    }),
  },
];
