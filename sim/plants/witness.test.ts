import { test } from "node:test";
import { witnessPlants } from "./witness.ts";
import { findPlant } from "./testing.ts";

for (const plant of witnessPlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
