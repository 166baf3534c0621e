import { test } from "node:test";
import { dataPlants } from "./data.ts";
import { findPlant } from "./testing.ts";

for (const plant of dataPlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
