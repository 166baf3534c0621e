import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { explore } from "../sim/kernel/explore.ts";
import { type Plant, plants } from "../sim/plants.ts";
import { stormRunner } from "../sim/storm.ts";
import { scheduleText, timelineText } from "../sim/timeline/text.ts";
import { tell, type Told } from "../src/cli/sim-story.ts";
import { replaceSynced } from "../src/machine/files.ts";
import { headText, pitfallText, plantRow, plantsHead, storyHead } from "./bugs-text.ts";
import { isCalledBare } from "./no-words.ts";
import { checkout } from "./tree.ts";

/** docs/bugs-we-can-still-reproduce.md, made by running every plant: minutes of work, so tests look at its fixed parts only. */
export const bugs_path = join(checkout, "docs", "bugs-we-can-still-reproduce.md");

const schedules_max = 5_000;
const timeline_lines_max = 26;

interface Run {
  readonly plant: Plant;
  readonly schedules: number;
  readonly seconds: number;
  readonly shrinking: number;
  readonly told: Told;
}

async function run(plant: Plant): Promise<Run> {
  const begun_ms = performance.now();
  const range = { seed: 1, schedules: schedules_max, checks: plant.checks };
  const { found, schedules } = await explore(stormRunner(plant), range);
  if (found === undefined) throw new Error(`the plant ${plant.name} was not found`);
  const found_ms = performance.now();
  const told = await tell(plant, found);
  return {
    plant,
    schedules,
    seconds: (found_ms - begun_ms) / 1000,
    shrinking: (performance.now() - found_ms) / 1000,
    told,
  };
}

const rowOf = ({ plant, schedules, seconds, shrinking, told }: Run): string =>
  `${plantRow(plant)} ${schedules}, ${seconds.toFixed(1)} s | ${told.story.broken?.check ?? "?"} | ${told.choices.length}, ${shrinking.toFixed(1)} s |`;

function storyText({ plant, told }: Run): string {
  const { story, seed } = told;
  return `${storyHead(plant)}
\`\`\`
duet sim run --plant ${plant.name} --seed ${seed} --schedules 1

${scheduleText(story).join("\n")}

${timelineText(story, timeline_lines_max).join("\n")}
\`\`\`
`;
}

const usage = `npm run bugs
  runs every plant until it is found, minutes of work, and writes docs/bugs-we-can-still-reproduce.md`;

if (import.meta.main && isCalledBare(usage)) {
  const runs: Run[] = [];
  for (const plant of plants) {
    const made = await run(plant);
    process.stderr.write(`${plant.name}: ${made.schedules} schedules, ${made.told.choices.length} choices\n`);
    runs.push(made);
  }
  const text = `${headText()}
${plantsHead}
${runs.map(rowOf).join("\n")}

${pitfallText()}
## The stories

${runs.map(storyText).join("\n")}`;
  await replaceSynced(bugs_path, text);
  process.stdout.write("docs/bugs-we-can-still-reproduce.md is written\n");
}
