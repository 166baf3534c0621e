import assert from "node:assert/strict";
import { explore, type Found, shrinkFound } from "../kernel/explore.ts";
import { stormRunner } from "../storm.ts";
import { type Plant, withoutMistake } from "./plant.ts";

/** Seconds on one core. A plant that needs more is not worth much: nobody would meet it. */
const schedules_max = 1_500;
const shrink_runs_max = 400;
/** More than that nobody reads as a story. */
const choices_max = 20;

/** It is found from seed 1, by a check that is made for such things, and told in a few choices. Gives a line about it. */
export async function findPlant(plant: Plant): Promise<string> {
  const run = stormRunner(plant);
  // What another check finds before is the plant's doing as well, and luck: the search goes on.
  const { checks } = plant;
  const { found, schedules } = await explore(run, { seed: 1, schedules: schedules_max, checks });
  assert.ok(found, `not within ${schedules} schedules`);
  const { check } = found.violation;
  await assertClean(plant, found);
  const small = await shrinkFound(run, found, shrink_runs_max);
  assert.equal((await run(small, { trace: false })).violation?.check, check);
  const choices = small.choices?.length ?? 0;
  assert.ok(choices <= choices_max, `${choices} choices are left`);
  return `after ${schedules} schedules: ${check}, told in ${choices} choices`;
}

/** It is the plant that was found, and nothing that is wrong without it. */
async function assertClean(plant: Plant, { seed }: Found): Promise<void> {
  const { violation } = await stormRunner(withoutMistake(plant))({ seed }, { trace: false });
  assert.equal(violation, undefined, "the same storm breaks without the plant");
}
