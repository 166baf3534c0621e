import { test } from "node:test";
import { raisePlants } from "./raise.ts";
import { findPlant } from "./testing.ts";

for (const plant of raisePlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
