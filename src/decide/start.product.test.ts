import assert from "node:assert/strict";
import { test } from "node:test";
import { judge } from "./decide.ts";
import type { Decision } from "./decision.ts";
import { type Facts, type Holding, no_word, type Peer } from "./facts.ts";
import { isNewer, rank } from "./lineage.ts";
import { mayServeAlone, mayStillMean, usable } from "./model/oracle.ts";
import {
  all_lineages,
  choicesNow,
  choicesOver,
  holdings,
  me,
  ordinary,
  own_lineages,
  peerName,
} from "./model/product.ts";
import { tables } from "./rules.ts";

const now = (facts: Holding, serving: boolean, leaving = false): Peer => ({
  seen: "now",
  facts,
  serving,
  running: serving,
  stuck: false,
  leaving,
});
const say = (facts: Facts): string => JSON.stringify(facts);
const fullVoter = (disk: Holding): boolean =>
  usable(disk) && disk.lineage !== undefined && (disk.full || disk.soleVoter);

/** Of two that hold the same, neither of which was given up, there is none. */
const isChoice = (self: Holding, peer: Holding): boolean =>
  rank(self.lineage, peer.lineage) !== "same" || (self.surrendered ?? peer.surrendered) !== undefined;

/** What each decision must never do, whatever the table says. */
function wrong(facts: Facts, peer: Holding, serving: boolean, decision: Decision): string | undefined {
  const { self } = facts;
  if (self.takeover?.step === "intent" && decision.do !== "abandon" && !mayStillMean(facts))
    return "keeps what came to nothing";
  const choice = isChoice(self, peer) ? facts.word.choose?.of : undefined;
  const leaves = facts.peer.seen === "now" && facts.peer.leaving;
  const newer = peer.lineage !== undefined && isNewer(peer.lineage, self.lineage);
  const own =
    self.data && self.lineage !== undefined && !newer && rank(self.lineage, peer.lineage) === "higher";
  switch (decision.do) {
    case "start-plain":
      if (!usable(self) || self.lineage === undefined) return "starts what is no voter's data";
      if (peer.data && newer && choice !== "self") return "starts older data";
      return self.surrendered === undefined || choice === "self" ? undefined : "starts what was given up";
    case "follow-as-learner":
      return self.standing === "learner" && rank(self.lineage, peer.lineage) === "same"
        ? undefined
        : "follows another";
    case "join-as-learner":
      if (!serving) return "moves data aside before the peer serves";
      if (leaves && self.data && self.surrendered === undefined)
        return "moves data aside for a peer that leaves";
      return own && self.surrendered === undefined ? "moves the newest data aside" : undefined;
    case "surrender":
      if (choice === "peer" && !leaves && fullVoter(peer)) return undefined;
      if (leaves && self.data) return "gives data up for a peer that leaves";
      if (!fullVoter(peer) || peer.surrendered !== undefined) return "gives data up for nothing";
      return own ? "gives the newest data up" : undefined;
    case "take-over":
    case "resume-takeover":
      return mayServeAlone(facts) ? undefined : "takes over";
    case "new-cluster":
      return self.data || peer.data || !facts.firstStart ? "makes a new cluster beside data" : undefined;
    case "abandon":
      if (self.takeover?.step === "served") return "denies that it served";
      return mayStillMean(facts) ? "gives up what goes on" : undefined;
    case "settle":
      return self.takeover?.step === "intent" ? "settles beside an open intent" : undefined;
    case "serve-as-is":
    case "wait":
    case "needs-human":
      return undefined;
    case "prove-off":
    case "may-fence":
    case "refuse-fence":
    case "leave":
    case "stop":
    case "keep-tags":
    case "write-tags":
    case "stop-and-alarm":
    case "restart-in-place":
      return "answers another question";
  }
}

/** What was noted of takeovers is nothing to a choice. */
const isPlain = ({ takeover, settled }: Holding): boolean => takeover === undefined && settled.mine === 0;

test("with the peer here, no combination of what both hold leads to a wrong start", (t) => {
  let count = 0;
  const rules = new Set<string>();
  const peers = holdings(all_lineages);
  const words = [
    [undefined, false],
    [undefined, true],
    ["self", false],
    ["peer", false],
    ["peer", true],
  ] as const;
  for (const self of holdings(own_lineages))
    for (const peer of peers)
      for (const serving of [false, true])
        for (const [choose, leaving] of words) {
          count++;
          const shown = choicesNow(self, peer).filter(({ of }) => of === choose);
          const word = { ...no_word, choose: shown[0] };
          const there = now(peer, serving, leaving);
          const facts: Facts = { ...ordinary, self, peer: there, word, firstStart: !self.data };
          const { decision, decider, rules: path } = judge("start", facts);
          for (const { id } of path) rules.add(id);
          const what = wrong(facts, peer, serving, decision);
          if (what !== undefined) assert.fail(`${decider.id} ${what}: ${say(facts)}`);
          if (choose !== undefined || leaving || !isPlain(self) || !isPlain(peer)) continue;
          for (const over of choicesOver(self, peer)) {
            const { decider: same } = judge("start", { ...facts, word: { ...no_word, choose: over } });
            if (same !== decider) assert.fail(`a choice that is over makes it ${same.id}: ${say(facts)}`);
          }
        }
  t.diagnostic(`${count} combinations`);
  // These are about a peer that is away or silent, and about the first start; tables.test.ts has them.
  const elsewhere = [
    "R-RUNNING",
    "R-STOP-FAILED",
    "R-START-BLOCKED",
    "R-LEARNER-ANEW",
    "R-ALONE",
    "R-NO-FACTS",
    "R-FIRST-START-PEER",
    "R-NO-DATA-ANYWHERE",
    // versions.test.ts
    "R-OLD-ETCD-JOIN",
    "R-NEW-ETCD-JOIN",
    "R-OLD-ETCD-GIVE-UP",
    "R-OLD-ETCD",
    "R-OLD-ETCD-ALONE",
  ];
  for (const { id } of tables.start.rules)
    assert.equal(rules.has(id), !elsewhere.includes(id), `${id} is never used here`);
});

test("two machines that see each other's disks never both act as if alone, nor throw both copies away", (t) => {
  let count = 0;
  const all = holdings(all_lineages);
  for (const one of all)
    for (const two of all) {
      count++;
      const left = decisionOf(one, two, me, peerName);
      const right = decisionOf(two, one, peerName, me);
      const both = `${left.do} and ${right.do}: ${JSON.stringify([one, two])}`;
      const alone = (decision: Decision) => decision.do === "take-over" || decision.do === "resume-takeover";
      if (alone(left) && (alone(right) || right.do === "start-plain")) assert.fail(both);
      if (left.do === "surrender" && right.do === "surrender") assert.fail(both);
      if (left.do === "new-cluster" && right.do === "new-cluster") assert.fail(both);
      const plain = left.do === "start-plain" && right.do === "start-plain";
      if (plain && rank(one.lineage, two.lineage) !== "same") assert.fail(both);
      if (
        left.do === "surrender" &&
        !["wait", "start-plain", "take-over", "resume-takeover"].includes(right.do)
      )
        assert.ok(
          two.takeover?.step === "intent" ||
            right.do === "settle" ||
            // Who has lost duet's file can't tell what it served. Then the tags must, and they can't be read here.
            (one.lineage === undefined && right.do === "needs-human"),
          both,
        );
    }
  t.diagnostic(`${count} pairs`);
});

const unread = { mine: { kind: "unreadable" }, theirs: { kind: "unreadable" } } as const;

function decisionOf(self: Holding, peer: Holding, name: string, peerName: string): Decision {
  const facts: Facts = {
    ...ordinary,
    me: name,
    peerName,
    self,
    peer: now(peer, false),
    tags: unread,
    firstStart: true,
  };
  return judge("start", facts).decision;
}
