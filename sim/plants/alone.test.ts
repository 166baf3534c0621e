import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../src/decide/decide.ts";
import { no_word } from "../../src/decide/facts.ts";
import { peerName } from "../../src/decide/model/product.ts";
import { pair } from "../../src/decide/testing-pair.ts";
import { alonePlants } from "./alone.ts";
import { findPlant } from "./testing.ts";

for (const plant of alonePlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });

test("the plant admin-word-beats-tag serves past two tags that can be read and name a newer epoch", () => {
  const plant = alonePlants.find(({ name }) => name === "admin-word-beats-tag");
  const tag = { kind: "lineage", epoch: 6, owner: peerName } as const;
  const stale = {
    ...pair,
    peer: { seen: "never" },
    proof: "off",
    tags: { mine: tag, theirs: tag },
    word: { ...no_word, peerDown: true },
  } as const;
  assert.equal(decide("takeover", stale).rule, "R-NEWER-TAG");
  assert.equal(decide("takeover", stale, plant?.tables).decision.do, "take-over");
});
