import { readFile } from "node:fs/promises";
import * as v from "valibot";
import type { Schedule } from "../../sim/kernel/choices.ts";
import { noPlant } from "../../sim/plants.ts";
import type { Problem } from "../base/problem.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const schedule = v.object({
  seed: count,
  plant: v.optional(v.string()),
  check: v.optional(v.string()),
  choices: v.pipe(
    v.array(v.object({ label: v.pipe(v.string(), v.maxLength(100)), nth: count, value: count })),
    v.maxLength(100_000),
  ),
});
/** What `sim run --json` printed holds it as `found`; what `sim replay --json` printed is one. */
const found = v.pipe(
  v.object({ found: schedule }),
  v.transform((printed) => printed.found),
);

/** A schedule that was kept, with the plant that it needs and what it broke. */
export interface Kept {
  readonly schedule: Schedule;
  readonly plant: string | undefined;
  readonly check: string | undefined;
}

/** The schedule in that file, or why there is none. */
export async function readChoices(file: string): Promise<Kept | Problem> {
  let data: unknown;
  try {
    data = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    return unfit(file, error instanceof SyntaxError ? "it is not JSON" : "it can't be read");
  }
  const read = v.safeParse(v.union([found, schedule]), data);
  if (!read.success) return unfit(file, "it holds no schedule: there is no `seed` with its `choices`");
  const { seed, choices, plant, check } = read.output;
  return { schedule: { seed, choices }, plant: plant === noPlant.name ? undefined : plant, check };
}

const unfit = (file: string, what: string): Problem => ({
  code: "DUET-E-SIM-CHOICES",
  where: file,
  what,
  fix: "give a file with what `duet sim run --json` printed when it found something",
});
