import { test } from "node:test";
import { momentPlants } from "./moments.ts";
import { findPlant } from "./testing.ts";

for (const plant of momentPlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
