import { test } from "node:test";
import { takeoverPlants } from "./takeover.ts";
import { findPlant } from "./testing.ts";

for (const plant of takeoverPlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
