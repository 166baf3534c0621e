import { heard, isFullVoter, rank } from "./lineage.ts";
import { always, type Table } from "./rule.ts";

const stop = () => ({ do: "stop" }) as const;

export const leaveTable: Table = {
  name: "leave",
  question: "I am to stop: do I leave the cluster first?",
  design: "3.6",
  rules: [
    {
      id: "R-LEAVE-RESTART",
      sentence: "etcd on {me} is only started again: it stays a member, or each crash would cost a full copy",
      when: ({ stopping }) => stopping === "restart",
      decide: stop,
    },
    {
      id: "R-LEAVE-UNKNOWN",
      sentence:
        "Pacemaker does not say whether etcd on {me} stops for good: it is asked again, and {me} stays a member if it does not answer",
      when: ({ stopping }) => stopping === "unknown",
      decide: () => ({ do: "wait" }),
    },
    {
      id: "R-LEAVE-LAST",
      sentence: "{peer} is not here: {me} is the last, and just stops",
      when: ({ peer }) => peer.seen !== "now",
      decide: stop,
    },
    {
      id: "R-LEAVE-NO-MEMBER",
      sentence: "{me} is no voter: there is nothing to leave",
      when: ({ self }) => self.standing !== "voter" || self.removalInLog,
      decide: stop,
    },
    {
      id: "R-LEAVE-BOTH",
      sentence: "{peer} is leaving too: {me} stays a member, or nobody would hold a voter's data",
      when: ({ peer }) => peer.seen === "now" && peer.leaving,
      decide: stop,
    },
    {
      id: "R-LEAVE-PEER-NOT-FULL",
      sentence: "{peer} is no full voter yet: {me} stays a member, and the API is away until it is back",
      when: (facts) => {
        const theirs = heard(facts);
        return (
          theirs === undefined ||
          theirs.surrendered !== undefined ||
          !isFullVoter(theirs) ||
          rank(facts.self.lineage, theirs.lineage) !== "same"
        );
      },
      decide: stop,
    },
    {
      id: "R-LEAVE-NO-QUORUM",
      sentence:
        "etcd has no leader, so the removal of {me} could stay half done: it waits a moment for one, and stays a member else",
      when: ({ etcd }) => etcd.running && !etcd.leader,
      decide: () => ({ do: "wait" }),
    },
    {
      id: "R-LEAVE-NO-ETCD",
      sentence: "etcd on {me} does not answer: it stays a member",
      when: ({ etcd }) => !etcd.running,
      decide: stop,
    },
    {
      id: "R-LEAVE",
      sentence: "{peer} is a full voter: {me} leaves through {peer}, and stops when {peer} is the only voter",
      when: always,
      decide: () => ({ do: "leave" }),
    },
  ],
};
