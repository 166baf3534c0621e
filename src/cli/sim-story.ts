import type { Choice, Schedule } from "../../sim/kernel/choices.ts";
import { type Found, shrinkFound } from "../../sim/kernel/explore.ts";
import { noPlant, type Plant } from "../../sim/plants.ts";
import { stormRunner } from "../../sim/storm.ts";
import { closer, laneName } from "../../sim/timeline/moment.ts";
import { type Story, storyOf } from "../../sim/timeline/story.ts";
import { scheduleText, timelineText } from "../../sim/timeline/text.ts";
import { paint } from "./output.ts";

const shrink_runs_max = 400;
/** A run with all its faults is for somebody who wants to see it, not for a glance. */
const long_lines_max = 80;

/** A run that somebody may want to read, see and repeat. */
export interface Told {
  readonly seed: number;
  readonly plant: Plant;
  /** Those that make the run what it is: with them it can be repeated on any machine. */
  readonly choices: readonly Choice[];
  /** These choices are the fewest that break it, no longer all that the seed's dice gave. */
  readonly shrunk: boolean;
  readonly story: Story;
  /** The whole trace, for those who ask for it. */
  readonly trace: () => readonly string[];
}

/** What a run found, with the fewest choices that still break the same, as a story. */
export async function tell(plant: Plant, found: Found): Promise<Told> {
  const small = await shrinkFound(stormRunner(plant), found, shrink_runs_max);
  return await tellSchedule(plant, { seed: found.seed, choices: small.choices ?? found.choices });
}

export async function tellSchedule(plant: Plant, schedule: Schedule): Promise<Told> {
  const kernel = await stormRunner(plant)(schedule, { trace: true });
  return {
    seed: schedule.seed,
    plant,
    choices: kernel.choices.taken,
    shrunk: schedule.choices !== undefined,
    story: storyOf(kernel),
    trace: () => [...kernel.trace.lines()],
  };
}

/** For `--json`; `sim replay --choices` takes it back. */
export function toldJson({ seed, plant, choices, story }: Told) {
  const { broken, events, acks, zero_us, moments } = story;
  return {
    seed,
    plant: plant.name,
    check: broken?.check,
    promise: broken?.promise,
    what: broken?.what,
    events,
    acknowledged: acks.length,
    choices,
    schedule: scheduleText(story).map((line) => line.trim()),
    timeline: moments
      .filter(({ level }) => level < closer)
      .map(({ at_us, lane, sort, rule, text }) => ({
        after_s: (at_us - zero_us) / 1e6,
        lane: laneName(lane),
        sort,
        ...(rule === undefined ? {} : { rule }),
        text,
      })),
  };
}

/** What a run prints when it found something, and a replay always. */
export function foundText(told: Told): string {
  const { story, shrunk } = told;
  const lines = [
    ...headline(told),
    "",
    "What is done to the two machines:",
    ...scheduleText(story),
    "",
    timelineHead,
    ...timelineText(story, shrunk ? undefined : long_lines_max),
    "",
    ...againLines(told),
  ];
  return `${lines.join("\n")}\n`;
}

const timelineHead =
  "What comes of it (seconds since the first fault; +n: writes acknowledged since the line above):";

function headline({ seed, plant, story: { broken, events, acks } }: Told): readonly string[] {
  const planted = plant.name === noPlant.name ? [] : [`with the plant ${plant.name}: ${plant.sentence}`];
  if (broken === undefined)
    return [
      `${paint("green", `seed ${seed} breaks nothing`)}: ${acks.length} writes acknowledged, ${events} events`,
      ...planted,
    ];
  const promise = broken.promise === undefined ? [] : [`promised is: ${broken.promise}`];
  return [`${paint("red", `seed ${seed} breaks "${broken.check}"`)}: ${broken.what}`, ...promise, ...planted];
}

/** The commands that show it once more. */
export function againLines({ seed, plant, shrunk, story }: Told): readonly string[] {
  const planted = plant.name === noPlant.name ? "" : ` --plant ${plant.name}`;
  const replay = `duet sim replay ${seed}${planted}`;
  if (story.broken === undefined || !shrunk)
    return [`again:         ${replay}`, `all of it:     ${replay} --full`];
  return [
    `again:         duet sim run${planted} --seed ${seed} --schedules 1`,
    `not shrunk:    ${replay}`,
    `to keep it:    duet sim run${planted} --seed ${seed} --schedules 1 --json > found.json`,
    `               duet sim replay --choices found.json`,
  ];
}
