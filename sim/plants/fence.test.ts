import { test } from "node:test";
import { fencePlants } from "./fence.ts";
import { findPlant } from "./testing.ts";

for (const plant of fencePlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
