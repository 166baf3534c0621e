import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "./decide.ts";
import { empty, type Facts, type Holding, no_word, type Peer } from "./facts.ts";
import { holdings, me, ordinary, own_lineages, peerName, peersForTakeover } from "./model/product.ts";
import { mayServeAlone } from "./model/oracle.ts";
import { tableNames, tables } from "./rules.ts";

import { choosing, here, pair, said, serving, voter } from "./testing-pair.ts";

test("every rule has an id and a sentence of its own, and each table ends with a rule that always holds", () => {
  const all = tableNames.flatMap((name) => tables[name].rules);
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  assert.equal(new Set(all.map(({ sentence }) => sentence)).size, all.length);
  for (const { id, sentence } of all) {
    assert.match(id, /^R-[A-Z]+(-[A-Z]+)*$/);
    for (const [, word = ""] of sentence.matchAll(/\{(\w+)\}/g))
      assert.ok(
        [
          "me",
          "peer",
          "own",
          "theirs",
          "newest",
          "next",
          "loss",
          "confirm",
          "accept",
          "acceptUnknown",
          "choose",
          "etcd",
          "dataEtcd",
          "peerEtcd",
          "cluster",
        ].includes(word),
        `${id}: {${word}}`,
      );
  }
  for (const name of tableNames) assert.ok(tables[name].rules.at(-1)?.when(pair), name);
});

test("a sentence names the machines and the epochs", () => {
  const lost: Facts = {
    ...pair,
    peer: { seen: "before", facts: voter },
    proof: "off",
    etcd: { ...serving, leader: false },
  };
  const { sentence, path, decision } = decide("start", lost);
  assert.deepEqual(path, ["R-ALONE", "R-TAKE-OVER"]);
  assert.deepEqual(decision, { do: "take-over", epoch: 6 });
  assert.equal(
    sentence,
    "b is off or gave up, and a holds everything that was acknowledged: it takes over as epoch 6",
  );
});

test("who may not take over may not fence, over all that can be told apart", (t) => {
  let count = 0;
  for (const self of holdings(own_lineages))
    for (const peer of peersForTakeover())
      for (const stuck of [false, true]) {
        count++;
        const target: Peer = peer.seen === "now" ? { ...peer, stuck } : peer;
        const facts: Facts = { ...ordinary, self, peer: target, peerPower: "off" };
        const { decision } = decide("fence", facts);
        const gone: Peer = target.seen === "now" ? { seen: "before", facts: target.facts } : target;
        const may = decision.do === "may-fence";
        if (may) assert.ok(mayServeAlone({ ...facts, peer: gone, proof: "off" }), JSON.stringify(facts));
        if (target.seen === "now" && !stuck) assert.ok(!may, JSON.stringify(facts));
      }
  t.diagnostic(`${count} combinations`);
});

test("a machine that has just booted fences nobody who may be on", () => {
  const booted: Facts = { ...pair, peer: { seen: "never" }, etcd: { ...serving, running: false } };
  assert.equal(said("fence", { ...booted, peerPower: "on" }), "R-FENCE-LOOP refuse-fence");
  assert.equal(said("fence", { ...booted, peerPower: "unreadable" }), "R-FENCE-LOOP refuse-fence");
  assert.equal(said("fence", { ...booted, peerPower: "off" }), "R-FENCE may-fence");
});

test("a peer that can't stop its etcd is fenced while it is here, unless it gave its data up", () => {
  const stuck = { stuck: true };
  assert.equal(said("fence", { ...pair, peer: here(voter, stuck) }), "R-FENCE may-fence");
  const gaveUp = here({ ...voter, surrendered: 6, echo: pair.self.others }, stuck);
  assert.equal(said("fence", { ...pair, peer: gaveUp }), "R-FENCE-GAVE-UP refuse-fence");
});

test("a machine leaves only for good, only beside a full voter, and never both at once", () => {
  assert.equal(said("leave", pair), "R-LEAVE leave");
  assert.equal(said("leave", { ...pair, stopping: "standby" }), "R-LEAVE leave");
  assert.equal(said("leave", { ...pair, stopping: "restart" }), "R-LEAVE-RESTART stop");
  assert.equal(said("leave", { ...pair, stopping: "unknown" }), "R-LEAVE-UNKNOWN wait");
  assert.equal(said("leave", { ...pair, peer: { seen: "before", facts: voter } }), "R-LEAVE-LAST stop");
  assert.equal(said("leave", { ...pair, peer: here(voter, { leaving: true }) }), "R-LEAVE-BOTH stop");
  assert.equal(
    said("leave", { ...pair, peer: here({ ...voter, full: false }) }),
    "R-LEAVE-PEER-NOT-FULL stop",
  );
  assert.equal(said("leave", { ...pair, peer: here(undefined) }), "R-LEAVE-PEER-NOT-FULL stop");
  assert.equal(said("leave", { ...pair, self: { ...voter, standing: "learner" } }), "R-LEAVE-NO-MEMBER stop");
  assert.equal(said("leave", { ...pair, etcd: { ...serving, leader: false } }), "R-LEAVE-NO-QUORUM wait");
  assert.equal(said("leave", { ...pair, etcd: { ...serving, running: false } }), "R-LEAVE-NO-ETCD stop");
});

test("a crashed etcd is started in place; only then is its data given up, and never the last copy", () => {
  const down: Facts = { ...pair, etcd: { running: false, leader: false, failedStarts: 1 } };
  const failed: Facts = { ...down, etcd: { ...down.etcd, failedStarts: 3 } };
  assert.equal(said("etcd", pair), "R-ETCD-RUNS serve-as-is");
  assert.equal(said("etcd", down), "R-ETCD-RESTART restart-in-place");
  assert.equal(said("etcd", failed), "R-ETCD-GIVE-UP surrender");
  assert.equal(
    said("etcd", { ...failed, peer: { seen: "before", facts: voter } }),
    "R-ETCD-ALONE needs-human",
  );
  assert.equal(said("etcd", { ...failed, self: { ...voter, surrendered: 6 } }), "R-ETCD-RUNS wait");
  for (const peer of [
    here(undefined),
    here({ ...voter, full: false }),
    here({ ...voter, surrendered: 6 }),
    here({ ...voter, lineage: { epoch: 4, owner: me } }),
    here({ ...voter, lineage: { epoch: 5, owner: peerName } }),
    // Its word is from before its removal: what was acknowledged since would be gone with this machine's data.
    here(voter, { leaving: true }),
    // What keeps both from starting may be one thing: with both given up nobody would start when it is mended.
    here(voter, { running: false }),
  ])
    assert.equal(said("etcd", { ...failed, peer }), "R-ETCD-LAST-COPY needs-human");
});

test("while serving, a lower tag is written anew, a higher or another owner's stops the machine", () => {
  const tag = (epoch: number, owner: string) => ({ kind: "lineage", epoch, owner }) as const;
  const alone: Facts = { ...pair, peer: { seen: "never" } };
  const tags = (mine: Facts["tags"]["mine"], facts: Facts = alone) =>
    decide("tags", { ...facts, tags: { mine, theirs: tag(5, me) } });
  assert.equal(tags(tag(5, me)).decision.do, "keep-tags");
  assert.deepEqual(tags(tag(4, peerName)).decision, { do: "write-tags", bmcs: ["mine"] });
  assert.deepEqual(tags({ kind: "blank" }).decision, { do: "write-tags", bmcs: ["mine"] });
  assert.equal(tags({ kind: "foreign" }).decision.do, "keep-tags");
  assert.equal(tags({ kind: "unreadable" }).decision.do, "keep-tags");
  assert.equal(tags(tag(6, peerName)).rule, "R-TAGS-CLAIM");
  assert.equal(tags(tag(5, peerName)).rule, "R-TAGS-CLAIM");
  const meant: Facts = { ...alone, self: { ...voter, takeover: { step: "abandoned", epoch: 6 } } };
  assert.equal(tags(tag(6, me), meant).decision.do, "keep-tags", "its own intent came to nothing");
  assert.equal(tags(tag(6, me)).rule, "R-TAGS-CLAIM", "it never meant that one, by its disk");
  assert.equal(
    tags(tag(6, peerName), pair).decision.do,
    "keep-tags",
    "the peer says that it never served it",
  );
  assert.equal(tags({ kind: "foreign" }).rule, "R-TAGS-FOREIGN");
  assert.equal(tags({ kind: "foreign" }).decision.do, "keep-tags");
  assert.equal(tags({ kind: "unreadable" }).rule, "R-TAGS-KEEP");
  assert.equal(tags(tag(6, peerName), { ...alone, witness: "off" }).rule, "R-TAGS-OFF");
});

test("without a witness nobody starts alone by itself, and a loss in this boot is still taken over", () => {
  const lone: Facts = {
    ...pair,
    peer: { seen: "never" },
    peerPower: "off",
    witness: "off",
    etcd: { ...serving, running: false },
  };
  assert.equal(said("start", lone), "R-NO-WITNESS needs-human");
  assert.equal(said("start", { ...lone, word: { ...no_word, peerDown: true } }), "R-NO-WITNESS needs-human");
  const accepted: Facts = { ...lone, word: { ...no_word, peerDown: true, accept: "unknown" } };
  assert.equal(said("start", accepted), "R-PROVE-OFF prove-off", "a BMC that answers is better than a word");
  assert.equal(said("start", { ...accepted, peerPower: "unreadable" }), "R-ACCEPTED-LOSS take-over");
  const lost: Facts = { ...lone, peer: { seen: "before", facts: voter }, proof: "off" };
  assert.equal(said("start", lost), "R-TAKE-OVER take-over");
});

test("a BMC that is not known to keep its tag lets nobody start alone, and what it claims still counts", () => {
  const lone: Facts = {
    ...pair,
    peer: { seen: "never" },
    peerPower: "off",
    witness: "unproven",
    etcd: { ...serving, running: false },
  };
  const peerDown = { ...no_word, peerDown: true } as const;
  assert.equal(said("start", lone), "R-TAGS-UNPROVEN needs-human");
  assert.equal(said("start", { ...lone, word: peerDown }), "R-TAGS-UNPROVEN needs-human");
  const gone = { ...lone.tags, theirs: { kind: "blank" } } as const;
  assert.equal(said("start", { ...lone, tags: gone }), "R-TAGS-UNREAD needs-human");
  assert.equal(
    said("start", { ...lone, peerPower: "unreadable", word: { ...peerDown, accept: "unknown" } }),
    "R-ACCEPTED-LOSS take-over",
  );
  const claim: Facts = {
    ...lone,
    tags: { ...lone.tags, mine: { kind: "lineage", epoch: 7, owner: peerName } },
  };
  assert.equal(said("start", claim), "R-NEWER-TAG needs-human");
  const lost: Facts = { ...lone, peer: { seen: "before", facts: voter }, proof: "off" };
  assert.equal(said("start", lost), "R-TAKE-OVER take-over");
});

test("the first start is made by one machine, and waits for nobody's data", () => {
  const first: Facts = {
    ...pair,
    self: empty,
    peer: here(empty),
    firstStart: true,
    etcd: { ...serving, running: false },
  };
  assert.equal(said("start", first), "R-FIRST-START new-cluster");
  assert.equal(said("start", { ...first, me: peerName, peerName: me }), "R-FIRST-START-PEER wait");
  assert.equal(said("start", { ...first, firstStart: false }), "R-NO-DATA-ANYWHERE needs-human");
  assert.equal(said("start", { ...first, peer: here(undefined) }), "R-NO-FACTS wait");
  assert.equal(said("start", { ...first, peer: here(voter, { serving: true }) }), "R-JOIN join-as-learner");
  assert.equal(said("start", { ...first, peer: { seen: "never" } }), "R-NO-DATA wait");
});

test("a machine on which nothing may be started says for which BMC it waits, and who serves already is not stopped by it", () => {
  const lost: Facts = {
    ...pair,
    self: { ...voter, soleVoter: true },
    peer: { seen: "before", facts: { ...voter, standing: "removed" } },
    peerPower: "unreadable",
    etcd: { running: false, leader: false, failedStarts: 0 },
  };
  assert.equal(said("start", { ...lost, started: false }), "R-START-BLOCKED needs-human");
  assert.equal(said("start", lost), "R-ALONE-ALREADY start-plain");
  const word = { ...no_word, peerDown: true };
  assert.equal(said("start", { ...lost, started: false, word }), "R-ALONE-ALREADY start-plain");
  // One that left by plan, say: nobody's word that the peer is down would make it serve, and so none is asked for.
  const left = { ...lost, started: false, self: { ...voter, standing: "removed" } } as const;
  assert.equal(said("start", left), "R-NOT-VOTER wait");
  assert.equal(said("start", { ...left, word }), "R-NOT-VOTER wait");
});

test("an intent is given up beside a peer that is back, and kept beside one that gave up, until that changes", () => {
  const self = { ...voter, takeover: { step: "intent", epoch: 6 } } as const;
  const etcd = { ...serving, running: false, leader: false };
  const given = { ...voter, surrendered: 6 };
  const facts: Facts = { ...pair, self, peer: here(given), etcd };
  assert.equal(said("start", facts), "R-TAKE-OVER take-over");
  // What the peer's own takeover came to is noted once this machine's is over.
  const spent = { ...given, takeover: { step: "abandoned", epoch: 4 } } as const;
  assert.equal(said("start", { ...facts, peer: here(spent) }), "R-TAKE-OVER take-over");
  for (const other of [
    { ...facts, peer: here(voter) },
    { ...facts, peer: here(undefined) },
    { ...facts, peer: here({ ...given, echo: "an older member" }) },
    { ...facts, peer: here({ ...given, takeover: self.takeover }) },
    choosing(facts, "peer"),
    { ...facts, self: { ...self, surrendered: 6 } },
    { ...facts, etcd: serving },
  ])
    assert.equal(said("start", other), "R-ABANDON abandon");
});

test("a peer that nobody will fence is proven off by this machine itself", () => {
  const etcd = { ...serving, leader: false };
  const gone: Facts = { ...pair, peer: { seen: "before", facts: voter }, etcd, peerPower: "on" };
  assert.equal(said("start", gone), "R-NO-PROOF wait");
  assert.equal(said("start", { ...gone, fencePending: false }), "R-NO-FENCE prove-off");
  assert.equal(said("start", { ...gone, fencePending: false, proof: "off" }), "R-TAKE-OVER take-over");
  assert.equal(
    said("start", { ...gone, fencePending: false, peerPower: "unreadable" }),
    "R-POWER-UNREAD needs-human",
  );
});

test("a machine whose etcd does not start leaves its peer alone", () => {
  const lost: Facts = { ...pair, peer: { seen: "before", facts: voter } };
  const etcd = { running: false, leader: false, failedStarts: 3 };
  assert.equal(said("fence", lost), "R-FENCE may-fence");
  assert.equal(said("fence", { ...lost, etcd }), "R-FENCE-NO-ETCD refuse-fence");
});

test("a learner whose etcd does not start joins anew, but only beside a peer that serves", () => {
  const etcd = { running: false, leader: false, failedStarts: 3 };
  const learner: Facts = { ...pair, self: { ...voter, standing: "learner", full: false }, etcd };
  const peer = { ...voter, soleVoter: true };
  assert.equal(
    said("start", { ...learner, peer: here(peer, { serving: true }) }),
    "R-LEARNER-ANEW join-as-learner",
  );
  assert.equal(said("start", { ...learner, peer: here(peer) }), "R-LEARNER follow-as-learner");
  const once: Facts = { ...learner, etcd: { ...etcd, failedStarts: 1 } };
  assert.equal(
    said("start", { ...once, peer: here(peer, { serving: true }) }),
    "R-LEARNER follow-as-learner",
  );
});

test("a learner that lost the end of its log joins anew: with that log it would die at the first word of its leader", () => {
  const learner = { ...voter, standing: "learner", full: false } as const;
  const peer = here({ ...voter, soleVoter: true }, { serving: true });
  const facts: Facts = { ...pair, self: learner, peer, etcd: { ...serving, running: false } };
  assert.equal(said("start", facts), "R-LEARNER follow-as-learner");
  const torn = { ...learner, tailLost: true };
  assert.equal(said("start", { ...facts, self: torn }), "R-JOIN join-as-learner");
  assert.equal(said("start", { ...facts, self: torn, peer: here(voter) }), "R-GIVE-UP surrender");
});

test("who gave its data up joins when the peer has said what it serves since, and not by an older word", () => {
  const self = { ...voter, surrendered: 6 };
  const facts = (peer: Holding): Facts => ({
    ...pair,
    self,
    peer: here(peer, { serving: true }),
    etcd: { ...serving, running: false },
  });
  assert.equal(said("start", facts(voter)), "R-WAIT-AFTER-GIVING-UP wait");
  const newer = { ...voter, lineage: { epoch: 6, owner: peerName } };
  assert.equal(said("start", facts(newer)), "R-JOIN-AFTER-GIVING-UP join-as-learner");
  assert.equal(said("start", facts({ ...voter, soleVoter: true })), "R-JOIN-AFTER-GIVING-UP join-as-learner");
});

test("a peer whose etcd could not be stopped is fenced where that is allowed; else a person is called", () => {
  const stuck = here(voter, { stuck: true });
  assert.equal(said("fence", { ...pair, peer: stuck }), "R-FENCE may-fence");
  assert.equal(said("fence", { ...pair, peer: here(voter) }), "R-FENCE-PEER-BACK refuse-fence");
  assert.equal(
    said("start", {
      ...pair,
      peer: stuck,
      started: false,
      etcd: { ...serving, running: false, leader: false },
    }),
    "R-STOP-FAILED needs-human",
  );
});
