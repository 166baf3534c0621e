import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceNow, isOpen, turned } from "./choice.ts";
import { decide } from "./decide.ts";
import { empty, type Facts, type Holding, type Offer } from "./facts.ts";
import { epochs_per_loss } from "./lineage.ts";
import { me, peerName } from "./model/product.ts";
import { choosing, here, pair, said, serving, voter } from "./testing-pair.ts";

const lineages: readonly Offer["lineage"][] = [
  undefined,
  { epoch: 5, owner: me },
  { epoch: 5, owner: peerName },
  { epoch: 6, owner: me },
  { epoch: 6, owner: peerName },
  { epoch: epochs_per_loss, owner: me },
  { epoch: 2 * epochs_per_loss, owner: peerName },
  { epoch: 3 * epochs_per_loss, owner: me },
];
const offers: readonly Offer[] = lineages.flatMap((lineage) =>
  [undefined, 7, 8].map((surrendered) => ({ lineage, surrendered })),
);
type Two = readonly [Offer, Offer];

const key = (two: Two): string =>
  two.map(({ lineage, surrendered }) => `${lineage?.epoch}${lineage?.owner} ${surrendered}`).join("/");

/** As a story: from what was shown, what the choice of this machine's data asks of the two, in any order. */
function comeOf([mine, theirs]: Two): ReadonlySet<string> {
  const reached = new Set([key([mine, theirs])]);
  const peers = theirs.surrendered === undefined ? [7, 8] : [];
  const given = [theirs, ...peers.map((surrendered) => ({ ...theirs, surrendered }))];
  const known = Math.max(mine.lineage?.epoch ?? 0, theirs.lineage?.epoch ?? 0);
  const begun = [1, 3]
    .map((million) => million * epochs_per_loss)
    .filter((epoch) => epoch > known)
    .map((epoch) => ({ lineage: { epoch, owner: me }, surrendered: undefined }));
  for (const own of [mine, ...begun]) for (const other of given) reached.add(key([own, other]));
  return reached;
}

const holding = (offer: Offer): Holding => ({ ...voter, ...offer });

test("of everything that two machines can be shown and hold later, a choice counts for that, what comes of it, and nothing else", (t) => {
  let open = 0;
  let count = 0;
  for (const mine of offers)
    for (const theirs of offers) {
      const given = mine.surrendered !== undefined || theirs.surrendered !== undefined;
      const isSame =
        mine.lineage?.epoch === theirs.lineage?.epoch && mine.lineage?.owner === theirs.lineage?.owner;
      const right = comeOf([mine, theirs]);
      const choice = { of: "self", mine, theirs, tags: [] } as const;
      for (const own of offers)
        for (const other of offers) {
          count++;
          const sides = { me, peerName, self: holding(own), theirs: holding(other) };
          const wanted = (given || !isSame) && right.has(key([own, other]));
          if (wanted) open++;
          const turnedSides = { me: peerName, peerName: me, self: holding(other), theirs: holding(own) };
          if (isOpen(choice, sides) !== wanted || isOpen(turned(choice), turnedSides) !== wanted)
            assert.fail(`${key([mine, theirs])}, and now ${key([own, other])}`);
        }
    }
  t.diagnostic(`${count} combinations, in ${open} of them the choice counts`);
});

test("when the chosen machine gives up, leaves or loses its data later, the other gives nothing up for the choice of before", () => {
  const one = { epoch: epochs_per_loss, owner: peerName } as const;
  const two = { epoch: 2 * epochs_per_loss, owner: me } as const;
  const shown = { self: { ...voter, lineage: two }, theirs: { ...voter, lineage: one } };
  const choose = choiceNow("peer", shown);
  const third = { ...voter, lineage: { epoch: 3 * epochs_per_loss, owner: peerName } };
  const word = { ...pair.word, choose };
  const tied: Facts = { ...pair, self: shown.self, peer: here(shown.theirs), word };
  assert.equal(said("start", tied), "R-CHOSEN-PEER surrender");
  // It could not serve what was chosen, or is going: that is another thing to decide.
  for (const peer of [
    here({ ...shown.theirs, full: false }),
    here({ ...shown.theirs, standing: "unknown" }),
    here({ ...shown.theirs, data: false }),
    here(shown.theirs, { leaving: true }),
    here({ ...shown.theirs, surrendered: epochs_per_loss + 1 }),
    here(undefined),
  ])
    assert.notEqual(decide("start", { ...tied, peer }).rule, "R-CHOSEN-PEER");
  const after: Facts = { ...pair, self: third, word, etcd: serving };
  const silent = { running: false, leader: false, failedStarts: 0 };
  for (const etcd of [serving, silent])
    for (const peer of [
      here({ ...third, surrendered: 3 * epochs_per_loss + 1 }),
      here({ ...third, standing: "removed", removalInLog: true, full: false }),
      here(empty),
      here({ ...empty, lineage: third.lineage }),
      here(third),
    ])
      assert.notEqual(decide("start", { ...after, etcd, peer }).decision.do, "surrender");
});

test("a choice accepts the claims that were shown, and no takeover that shows in the tags only since", () => {
  const given = { ...voter, surrendered: 6 };
  const facts: Facts = {
    ...pair,
    self: given,
    peer: here(given),
    etcd: { ...serving, running: false, leader: false },
  };
  // Somebody chose the other one's data there, and was cut off before he told: it has taken over, and has not said so yet.
  const theirs = { kind: "lineage", epoch: 2 * epochs_per_loss, owner: peerName } as const;
  for (const tags of [
    { ...facts.tags, theirs },
    { ...facts.tags, mine: theirs },
  ]) {
    const since = { ...choosing(facts), tags };
    assert.equal(said("start", since), "R-NEWER-TAG needs-human");
    assert.match(decide("start", since).sentence, /`duet choose-data a`/);
    // Chosen once more, with that in sight, it is accepted.
    assert.equal(said("start", choosing({ ...facts, tags })), "R-ACCEPTED-LOSS take-over");
  }
  // Its own tag, of the takeover that the choice began, is tried again.
  const mine = { kind: "lineage", epoch: epochs_per_loss, owner: me } as const;
  const begun = { ...given, takeover: { step: "intent", epoch: epochs_per_loss } } as const;
  const again = { ...choosing(facts), self: begun, tags: { ...facts.tags, mine } };
  assert.equal(decide("takeover", again).rule, "R-ACCEPTED-LOSS");
  assert.equal(decide("takeover", { ...again, tags: { mine, theirs } }).rule, "R-NEWER-TAG");
});

test("a choice that was said on the other machine holds here, where an older tag of it was read and is gone", () => {
  const lineage = { epoch: 7, owner: peerName };
  const theirs: Holding = { ...voter, lineage };
  const tags = { mine: { kind: "lineage", ...lineage }, theirs: { kind: "lineage", ...lineage } } as const;
  const shown = choosing({ ...pair, peer: here(theirs), tags });
  const gone = [{ epoch: 6, owner: peerName }];
  const etcd = { ...serving, running: false, leader: false };
  const given: Facts = { ...shown, peer: here({ ...theirs, surrendered: 8 }), etcd };
  assert.equal(said("takeover", given), "R-ACCEPTED-LOSS take-over");
  assert.equal(said("takeover", { ...given, tags: { ...tags, gone } }), "R-ACCEPTED-LOSS take-over");
  const newer = [{ epoch: 9, owner: peerName }];
  assert.equal(decide("takeover", { ...given, tags: { ...tags, gone: newer } }).decision.do, "needs-human");
});

test("who gave up again after its choice was carried out joins the peer that went on, and does not wait for the choice", () => {
  const five = { ...voter, surrendered: 6 };
  const facts: Facts = { ...pair, self: five, etcd: { ...serving, running: false, leader: false } };
  const chosen = choosing({ ...facts, peer: here({ ...voter, surrendered: undefined }) });
  const six = { ...voter, lineage: { epoch: 6, owner: peerName }, soleVoter: true };
  const met = { ...chosen, peer: here(six, { serving: true }) };
  assert.equal(said("start", met), "R-JOIN-AFTER-GIVING-UP join-as-learner");
  const given = { ...chosen, peer: here({ ...six, surrendered: 7 }) };
  assert.equal(said("start", given), "R-BOTH-GAVE-UP needs-human");
});
