import { gaveUp } from "./lineage.ts";
import { failed_starts_max } from "./rules-etcd.ts";
import { always, type Table } from "./rule.ts";

const refuse = () => ({ do: "refuse-fence" }) as const;

/** Asked before the takeover table, which then has the last word: who may not take over may not fence. */
export const fenceTable: Table = {
  name: "fence",
  question: "May I switch my peer off?",
  design: "3.9",
  rules: [
    {
      id: "R-FENCE-GAVE-UP",
      sentence: "{peer} gave its data up, which counts like Off: there is nothing to fence",
      when: (facts) => facts.peer.seen === "now" && gaveUp(facts),
      decide: refuse,
    },
    {
      id: "R-FENCE-PEER-BACK",
      sentence: "{peer} is back: a fence that was still pending must not fire",
      when: ({ peer }) => peer.seen === "now" && !peer.stuck,
      decide: refuse,
    },
    {
      id: "R-FENCE-NO-ETCD",
      sentence: "etcd on {me} does not start: with {peer} off nobody would serve",
      when: ({ etcd }) => !etcd.running && etcd.failedStarts >= failed_starts_max,
      decide: refuse,
    },
    {
      id: "R-FENCE-LOOP",
      sentence:
        "{me} has not seen {peer} since it booted, and {peer} does not read Off: it may serve, and {me} would fence it for nothing",
      when: ({ peer, peerPower, proof, word }) =>
        peer.seen === "never" && peerPower !== "off" && proof !== "off" && !word.peerDown,
      decide: refuse,
    },
    {
      id: "R-FENCE",
      sentence: "{me} may switch {peer} off: with {peer} off it would take over",
      when: always,
      decide: () => ({ do: "ask", table: "takeover" }),
    },
  ],
};
