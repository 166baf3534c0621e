import assert from "node:assert/strict";
import { test } from "node:test";
import { empty, type Facts } from "./facts.ts";
import { acceptedEpoch, epochAfterLoss, lossAcceptedOn, nextEpoch } from "./lineage.ts";
import { me as own, ordinary, peerName as other } from "./model/product.ts";
import { pair, said, serving, voter } from "./testing-pair.ts";

test("an epoch tells on which machine the last loss before it was accepted, whichever of the two is named first", () => {
  for (const [me, peerName] of [
    ["node1", "node2"],
    ["node2", "node1"],
  ] as const) {
    const epoch = epochAfterLoss({ ...ordinary, self: empty, peer: { seen: "never" }, me, peerName });
    for (const later of [epoch, epoch + 7]) {
      assert.equal(lossAcceptedOn(later, me, peerName), me);
      assert.equal(lossAcceptedOn(later, peerName, me), me);
    }
  }
  assert.equal(lossAcceptedOn(3, "node1", "node2"), undefined);
});

test("a disk that was put back from an older image starts alone on no tag of the machine's own later takeovers", () => {
  const tag = { kind: "lineage", epoch: 7, owner: own } as const;
  const alone: Facts = {
    ...pair,
    peer: { seen: "never" },
    peerPower: "off",
    tags: { mine: tag, theirs: tag },
    etcd: { ...serving, running: false },
  };
  assert.equal(said("start", alone), "R-NEWER-TAG needs-human");
  const one = { mine: tag, theirs: { kind: "lineage", epoch: 5, owner: own } } as const;
  assert.equal(said("start", { ...alone, tags: one }), "R-NEWER-TAG needs-human", "one is enough");
  for (const known of [
    { takeover: { step: "intent", epoch: 7 } },
    { takeover: { step: "abandoned", epoch: 8 } },
    { settled: { mine: 7, theirs: 0 } },
  ] as const)
    assert.equal(
      said("start", { ...alone, self: { ...voter, ...known } }),
      "R-PROVE-OFF prove-off",
      "its disk knows that it never served",
    );
  const older = {
    ...voter,
    takeover: { step: "abandoned", epoch: 6 },
    settled: { mine: 6, theirs: 9 },
  } as const;
  assert.equal(said("start", { ...alone, self: older }), "R-NEWER-TAG needs-human");
});

test("a tag that was read accuses when it is gone as if it stood there, and acquits nobody", () => {
  const claim = { epoch: 7, owner: other };
  const lost: Facts = {
    ...pair,
    peer: { seen: "before", facts: voter },
    peerPower: "off",
    proof: "off",
    tags: { mine: { kind: "foreign" }, theirs: { kind: "foreign" } },
    etcd: { ...serving, running: false },
  };
  assert.equal(
    said("takeover", lost),
    "R-TAKE-OVER take-over",
    "who heard its peer before goes on without tags",
  );
  const warned: Facts = { ...lost, tags: { ...lost.tags, gone: [claim] } };
  assert.equal(said("takeover", warned), "R-NEWER-TAG needs-human");
  assert.equal(nextEpoch(warned), 8);
  assert.equal(acceptedEpoch(warned), 7);
  const caughtUp: Facts = { ...warned, self: { ...voter, lineage: claim } };
  assert.equal(said("takeover", caughtUp), "R-TAKE-OVER take-over", "its data has come up with it");
  const off: Facts = { ...warned, witness: "off" };
  assert.equal(
    said("takeover", off),
    said("takeover", { ...lost, witness: "off" }),
    "a site without a witness",
  );
  const alone: Facts = { ...lost, peer: { seen: "never" } };
  const gone = [{ epoch: 5, owner: own }];
  assert.equal(said("start", alone), said("start", { ...alone, tags: { ...alone.tags, gone } }));
});
