import { type Bmc, done, type Effects, success } from "../../src/act/effects.ts";
import type { Facts, Tag } from "../../src/decide/facts.ts";
import { nextEpoch } from "../../src/decide/lineage.ts";
import { tagText } from "../agents/facts.ts";
import { loss, outage, type Place, type Plant } from "./plant.ts";
import { instead } from "./tables.ts";

const oneAfterTheOther = "one is lost, the other serves and is lost, and the first comes back alone";
const comeBack = "both machines lose power, and come back at different times";
const tag_ms = 3_000;

/** Off is on its way: what it claims then it can claim now. */
const claimAtOnce = (facts: Facts) => {
  const { takeover } = facts.self;
  const epoch = takeover?.step === "intent" ? takeover.epoch : nextEpoch(facts);
  return { do: "take-over", epoch } as const;
};

/** The steps look before the intent as well; behind it they see what is. */
const provenBeforeIntent = (effects: Effects): Effects => ({
  ...effects,
  quorum: {
    ...effects.quorum,
    loss: async () => {
      const lost = await effects.quorum.loss();
      const state = await effects.disk.readState();
      const isMeant = state.ok && state.value.takeover?.step === "intent";
      return lost.ok && lost.value !== undefined && !isMeant
        ? success({ ...lost.value, proven: true })
        : lost;
    },
  },
});

/** As it is asked for, and whatever the rules say to it: with no intent on its disk. */
function taggedWhenAsked(effects: Effects, { node: { world } }: Place): Effects {
  const claim = async (facts: Facts): Promise<void> => {
    const lineage = { epoch: nextEpoch(facts), owner: facts.me };
    for (const bmc of ["mine", "theirs"] as const) await effects.bmc.raiseTag(bmc, lineage, tag_ms);
  };
  return {
    ...effects,
    decide: (question, facts) => {
      if (question === "fence") world.kernel.tasks.start(() => claim(facts));
      return effects.decide(question, facts);
    },
  };
}

/** Whoever has switched the peer off says so, with no intent on its disk; so nobody else needs to. */
function taggedByFence(effects: Effects): Effects {
  let fencing: Facts | undefined;
  return {
    ...effects,
    decide: (question, facts) => {
      if (question === "fence") fencing = facts;
      return effects.decide(question, facts);
    },
    quorum: {
      ...effects.quorum,
      noteOff: async (ring, wentOff) => {
        const noted = await effects.quorum.noteOff(ring, wentOff);
        if (!noted.ok || fencing === undefined) return noted;
        const lineage = { epoch: nextEpoch(fencing), owner: fencing.me };
        for (const bmc of ["mine", "theirs"] as const) await effects.bmc.raiseTag(bmc, lineage, tag_ms);
        return done;
      },
    },
    bmc: {
      ...effects.bmc,
      raiseTag: async (bmc, lineage, deadline_ms, may) =>
        lineage.epoch > 1 ? success("written") : await effects.bmc.raiseTag(bmc, lineage, deadline_ms, may),
    },
  };
}

/** Until a BMC says what this machine wrote last, it is written once more. */
function writtenAgain(effects: Effects, { node: { world, id, peer }, life }: Place): Effects {
  return {
    ...effects,
    facts: async () => {
      const facts = await effects.facts();
      const { lineage, takeover } = facts.self;
      // While it means to take over, the next tag is on its way.
      if (lineage?.owner !== facts.me || takeover !== undefined || facts.peer.seen === "now") return facts;
      const isOwn = (tag: Tag): boolean =>
        tag.kind === "lineage" && tag.epoch === lineage.epoch && tag.owner === lineage.owner;
      const behind = (["mine", "theirs"] as const).filter((bmc) => !isOwn(facts.tags[bmc]));
      const machineOf = (bmc: Bmc): number => (bmc === "mine" ? id : peer);
      for (const bmc of behind)
        await world.askBmc(life, id, machineOf(bmc), { kind: "tag", value: tagText(lineage) }, tag_ms * 1000);
      return behind.length === 0 ? facts : await effects.facts();
    },
  };
}

/** Who writes a tag, and when. */
export const witnessPlants: readonly Plant[] = [
  {
    name: "tag-before-off",
    sentence: "a takeover claims its epoch while the fence is still under way",
    pitfalls: [],
    stoppedBy: "R-NO-PROOF: no step of a takeover comes before the proof of Off",
    checks: ["claim for nothing"],
    favours: ["both links are cut", comeBack],
    tables: instead("takeover", ["R-NO-PROOF"], { decide: claimAtOnce }),
    effects: provenBeforeIntent,
  },
  {
    name: "tag-by-fence-agent",
    sentence:
      "the fence agent writes the tags before it switches anybody off: also on a machine that may not serve, or that is switched off first",
    pitfalls: [],
    stoppedBy:
      "no tag is written by a fence: the steps `write the tag …` of a takeover come after its intent, and that after the proof of Off",
    checks: ["claim for nothing"],
    favours: ["both links are cut", comeBack],
    effects: taggedWhenAsked,
  },
  {
    name: "tag-only-by-fence-agent",
    sentence:
      "the fence agent writes the tags, and nobody else: a lone start, which needs no fence agent, leaves none",
    pitfalls: [],
    stoppedBy: "the steps `write the tag …` of a takeover, whatever its proof",
    // That its tags are claims of nobody is the other one's.
    checks: loss.filter((check) => check !== "claim for nothing"),
    favours: [comeBack, oneAfterTheOther],
    effects: taggedByFence,
  },
  {
    name: "tag-lowered-by-retry",
    sentence:
      "a machine writes the last tag of its own until both BMCs say it, over whatever stands there by now",
    pitfalls: [],
    stoppedBy:
      "`raising`: a tag is read, compared and never lowered; a retry ends with its boot and its epoch",
    checks: [...loss, ...outage],
    favours: [oneAfterTheOther],
    effects: writtenAgain,
  },
];
