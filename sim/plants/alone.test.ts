import { test } from "node:test";
import { alonePlants } from "./alone.ts";
import { findPlant } from "./testing.ts";

for (const plant of alonePlants)
  test(`the plant ${plant.name} is found: ${plant.sentence}`, async (t) => {
    t.diagnostic(await findPlant(plant));
  });
