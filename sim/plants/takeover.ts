import { done, success } from "../../src/act/effects.ts";
import type { Facts } from "../../src/decide/facts.ts";
import { tableNames } from "../../src/decide/rules.ts";
import { membershipOf } from "../agents/facts.ts";
import { nodeOf } from "../agents/site.ts";
import { loss, outage, type Plant, seeing, seenBy } from "./plant.ts";
import { without } from "./tables.ts";

/** Its etcd has no leader: the peer must be dead. */
const crashIsLoss = (facts: Facts): Facts =>
  facts.peer.seen === "now" && facts.etcd.running && !facts.etcd.leader && facts.self.full
    ? { ...facts, peer: { seen: "before", facts: facts.peer.facts }, proof: "off" }
    : facts;

const proofStays = (facts: Facts): Facts => (facts.proof === "void" ? { ...facts, proof: "off" } : facts);

/** A surrender counts for whatever member the peer is now. */
const surrenderStays = (facts: Facts): Facts => {
  const { peer, self } = facts;
  if (peer.seen === "never" || peer.facts?.surrendered === undefined) return facts;
  return { ...facts, peer: { ...peer, facts: { ...peer.facts, echo: self.others } } };
};

const oneAfterTheOther = "one is lost, the other serves and is lost, and the first comes back alone";

/** What a takeover stands on, and what it leaves behind. */
export const takeoverPlants: readonly Plant[] = [
  {
    name: "notify-is-proof",
    sentence: "a notification that the peer is stopped counts as proof of Off",
    pitfalls: [],
    stoppedBy: "R-NO-PROOF: only a BMC or an outlet that reads Off proves it",
    checks: loss,
    favours: ["both links are cut"],
    agent: (agent, world, site) => ({
      run: async (operation, context) => {
        const { notification, machine } = context;
        const node = nodeOf(world, site, machine);
        const { ring, peer } = membershipOf(node);
        if (notification?.operation === "stop" && notification.machines.includes(node.peer) && !peer)
          node.memory.remembered = { ...node.memory.remembered, provenIn: ring };
        return await agent.run(operation, context);
      },
    }),
  },
  {
    name: "proof-stays",
    sentence: "once read, Off stays proven: also for the next loss of the same peer",
    pitfalls: [],
    stoppedBy: "R-NO-PROOF: a proof is void in the next membership",
    checks: loss,
    favours: ["a power cut, and both links are cut when the machine is full again"],
    ...seeing(proofStays),
  },
  {
    name: "surrender-stays",
    sentence:
      "a surrender counts like Off also after the peer has joined anew, and a joiner does not say first that it is over",
    pitfalls: [],
    stoppedBy:
      "R-NO-PROOF, R-PEER-HERE: a surrender names the members that it was said to; the step `tell the peer` of a rejoin",
    checks: loss,
    favours: ["one serves alone, both lose power, and both links are cut when they are whole again"],
    tables: seenBy(tableNames, surrenderStays),
    effects: (effects) => ({
      ...effects,
      facts: async () => surrenderStays(await effects.facts()),
      attributes: {
        ...effects.attributes,
        publish: async (said, deadline_ms) => {
          const { data, lineage, surrendered } = said.holding;
          const joins = !data && lineage !== undefined && surrendered === undefined;
          return joins ? done : await effects.attributes.publish(said, deadline_ms);
        },
      },
    }),
  },
  {
    name: "crash-is-loss",
    sentence: "an etcd that loses its leader forces a new cluster, though the peer only restarts its own",
    pitfalls: [12],
    stoppedBy: "R-PEER-HERE, R-ETCD-RESTART",
    checks: [...loss, ...outage],
    favours: ["etcd is killed"],
    // Whether the peer may be fenced is decided as it should be: to take a machine that is up for Off is another mistake.
    tables: seenBy(["start", "takeover", "etcd", "tags", "leave"], crashIsLoss),
    effects: (effects) => ({ ...effects, facts: async () => crashIsLoss(await effects.facts()) }),
  },
  {
    name: "epoch-not-synced",
    sentence: "duet's file is written and not synced",
    pitfalls: [],
    stoppedBy: "every step that writes duet's file: file and folder are synced when it returns",
    checks: [...loss, ...outage],
    favours: [oneAfterTheOther],
    effects: (effects, { node, life }) => ({
      ...effects,
      disk: {
        ...effects.disk,
        writeState: async (state) => {
          await node.world.kernel.tasks.effect(life, 100, () => node.state.write(state));
          return done;
        },
      },
    }),
  },
  {
    name: "no-tag",
    sentence: "a takeover leaves no tag: a machine that boots alone asks only whether its peer is off",
    pitfalls: [],
    stoppedBy: "the steps `write the tag …` of a takeover, and R-NEWER-TAG",
    checks: [...loss, ...outage],
    favours: [oneAfterTheOther],
    effects: (effects) => ({
      ...effects,
      bmc: {
        ...effects.bmc,
        raiseTag: async (bmc, lineage, deadline_ms, may) =>
          lineage.epoch > 1 ? success("written") : await effects.bmc.raiseTag(bmc, lineage, deadline_ms, may),
      },
    }),
  },
  {
    name: "force-flag-stays",
    sentence: "the force flag is never dropped",
    pitfalls: [],
    stoppedBy: "the steps `drop the force flag` and `drop a force flag that was left`",
    checks: [...loss, ...outage],
    favours: ["a power cut", "etcd is killed"],
    effects: (effects) => ({ ...effects, unit: { ...effects.unit, dropForceFlag: async () => done } }),
  },
  {
    name: "intent-never-given-up",
    sentence: "a claim to take over is never taken back, and who sees the peer's claim waits",
    pitfalls: [1],
    stoppedBy: "R-ABANDON",
    checks: outage,
    favours: ["one is lost, the other while it writes its tags, and both are back soon"],
    tables: without("start", "R-ABANDON"),
  },
];
