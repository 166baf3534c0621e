import { alonePlants } from "./plants/alone.ts";
import { dataPlants } from "./plants/data.ts";
import { fencePlants } from "./plants/fence.ts";
import { momentPlants } from "./plants/moments.ts";
import type { Plant } from "./plants/plant.ts";
import { raisePlants } from "./plants/raise.ts";
import { rejoinPlants } from "./plants/rejoin.ts";
import { takeoverPlants } from "./plants/takeover.ts";
import { waitPlants } from "./plants/wait.ts";
import { witnessPlants } from "./plants/witness.ts";

export { noPlant, type Plant, withoutMistake } from "./plants/plant.ts";

/** Every mistake that the simulator must find. */
export const plants: readonly Plant[] = [
  ...dataPlants,
  ...takeoverPlants,
  ...raisePlants,
  ...fencePlants,
  ...rejoinPlants,
  ...waitPlants,
  ...witnessPlants,
  ...alonePlants,
  ...momentPlants,
];
