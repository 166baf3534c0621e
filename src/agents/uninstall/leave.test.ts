import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Facts, type Holding, no_word, type Peer } from "../../decide/facts.ts";
import { peerUnfit } from "./leave.ts";

const full: Holding = {
  ...empty,
  data: true,
  standing: "voter",
  full: true,
  lineage: { epoch: 3, owner: "node1" },
};
const facts = (peer: Peer): Facts => ({
  me: "node2",
  peerName: "node1",
  self: full,
  peer,
  peerPower: "on",
  proof: "none",
  fencePending: false,
  word: no_word,
  tags: { mine: { kind: "blank" }, theirs: { kind: "blank" } },
  witness: "on",
  firstStart: false,
  etcd: { running: true, leader: true, failedStarts: 0 },
  started: true,
  stopping: "restart",
});
const here = {
  seen: "now",
  facts: full,
  serving: true,
  running: true,
  stuck: false,
  leaving: false,
} as const;
const unfit = (peer: Peer) => peerUnfit({ facts: async () => facts(peer) });

test("only a peer that is here, full, serving and staying is fit to go on alone", async () => {
  assert.equal(await unfit(here), undefined);
  for (const [peer, why] of [
    [{ seen: "never" }, /is not here/],
    [{ seen: "before", facts: full }, /is not here/],
    [{ ...here, facts: undefined }, /has not told/],
    [{ ...here, leaving: true }, /is leaving/],
    [{ ...here, facts: { ...full, full: false } }, /no full voter/],
    [{ ...here, facts: { ...full, standing: "learner" } }, /no full voter/],
    [{ ...here, serving: false }, /does not serve/],
  ] as const)
    assert.match((await unfit(peer)) ?? "", why);
});
