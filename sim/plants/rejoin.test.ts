import { test } from "node:test";
import { rejoinPlants } from "./rejoin.ts";
import { findPlant } from "./testing.ts";

for (const plant of rejoinPlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
