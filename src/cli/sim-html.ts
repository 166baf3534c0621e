import { writeFile } from "node:fs/promises";
import { noPlant } from "../../sim/plants.ts";
import { pageOf } from "../../sim/timeline/page.ts";
import { againLines, type Told } from "./sim-story.ts";

/** The story as one page that needs nothing else: it can be mailed, kept, or put beside an issue. */
export async function writePage(told: Told, file: string): Promise<void> {
  const { seed, plant, choices, shrunk, story } = told;
  await writeFile(
    file,
    pageOf(story, {
      seed,
      plant: plant.name === noPlant.name ? undefined : plant,
      choices: choices.length,
      shrunk,
      again: againLines(told),
    }),
  );
}
