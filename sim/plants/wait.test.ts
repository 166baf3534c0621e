import { test } from "node:test";
import { waitPlants } from "./wait.ts";
import { findPlant } from "./testing.ts";

for (const plant of waitPlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
