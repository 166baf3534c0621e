import assert from "node:assert/strict";
import { test } from "node:test";
import { empty } from "./facts.ts";
import { epochAfterLoss, lossAcceptedOn } from "./lineage.ts";
import { ordinary } from "./model/product.ts";

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
