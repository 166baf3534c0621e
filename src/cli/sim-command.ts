import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import type { Explored } from "../../sim/kernel/explore.ts";
import { isLeftOut } from "../../sim/left-out.ts";
import type { Tally } from "../../sim/storm.ts";
import { exit, type ExitStatus } from "../base/problem.ts";
import { plainTables } from "../decide/print.ts";
import { printJson } from "./output.ts";
import { writePage } from "./sim-html.ts";
import { Asked, seed_max } from "./sim-options.ts";
import { exploreWith, tallyJson } from "./sim-parts.ts";
import { foundText, tell, toldJson } from "./sim-story.ts";
import { startWorkers } from "./sim-workers.ts";
import type { SimOptions } from "./sim.ts";

const schedules_default = 500;
/** A plant is looked for until it is found. */
const schedules_planted = 5_000;
const jobs_max = 256;
const progress_ms = 5_000;

export async function simRun(options: SimOptions): Promise<ExitStatus> {
  const asked = new Asked();
  const plant = asked.plant(options.plant);
  const seed = asked.number("--seed", options.seed);
  const minutes = asked.number("--minutes", options.minutes, 1);
  const schedules =
    asked.number("--schedules", options.schedules, 1) ??
    (minutes === undefined
      ? options.plant === undefined
        ? schedules_default
        : schedules_planted
      : seed_max - seed + 1);
  const jobs = asked.number("--jobs", options.jobs, 1, jobs_max) ?? availableParallelism();
  asked.seeds(seed, schedules);
  await asked.page(options.html);
  asked.settle();
  const begun_ms = performance.now();
  const result = await exploreWith(startWorkers(plant, Math.min(jobs, schedules)), {
    seed,
    schedules,
    goOn: () => minutes === undefined || performance.now() - begun_ms < minutes * 60_000,
    onProgress: options.json === true ? () => undefined : progressLines(begun_ms),
  });
  const { tally } = result;
  const seconds = (performance.now() - begun_ms) / 1000;
  const told = result.found === undefined ? undefined : await tell(plant, result.found);
  if (told !== undefined && options.html !== undefined) await writePage(told, options.html);
  else if (options.html !== undefined)
    process.stderr.write(`nothing was broken: no page is written to ${options.html}\n`);
  const found = told === undefined ? undefined : toldJson(told);
  if (options.json === true) printJson({ plant: plant.name, ...summary(result, tally, seconds), found });
  else
    process.stdout.write(
      summaryText(result, tally, seconds) + (told === undefined ? "" : `\n${foundText(told)}`),
    );
  return result.found === undefined ? exit.ok : exit.failed;
}

/** A line now and then on stderr, so that a long run is not a silent one. */
function progressLines(begun_ms: number): (schedules: number, seed: number) => void {
  let last_ms = begun_ms;
  return (schedules, seed) => {
    const now_ms = performance.now();
    if (now_ms - last_ms < progress_ms) return;
    last_ms = now_ms;
    const rate = (schedules * 1000) / (now_ms - begun_ms);
    process.stderr.write(`${schedules} schedules, ${rate.toFixed(0)} a second, seed ${seed}\n`);
  };
}

function summary({ schedules, events }: Explored, tally: Tally, seconds: number) {
  const rules = plainTables().flatMap((table) => table.rules.map(({ id }) => id));
  const each = (count: number) => Math.round((10 * count) / Math.max(1, schedules)) / 10;
  return {
    schedules,
    per_second: Math.round(schedules / seconds),
    events_per_schedule: each(events),
    operations_per_schedule: each(tally.operations),
    faults_per_schedule: each(tally.faults),
    /** The fewest in any schedule that ran to its end. */
    least: tallyJson(tally)["least"],
    fired: Object.fromEntries([...tally.fired].toSorted((a, b) => b[1] - a[1])),
    never: rules.filter((id) => !tally.fired.has(id) && !isLeftOut(id)),
    left_out: rules.filter((id) => !tally.fired.has(id) && isLeftOut(id)),
  };
}

/** Nothing where the very first schedule broke something: none came to its end. */
const fewest = ({ least: { operations, faults, returns } }: Tally): string =>
  Number.isFinite(operations)
    ? `in every schedule at least ${operations} operations, ${faults} faults, ${returns} machines that were off and came back\n`
    : "";

function summaryText(result: Explored, tally: Tally, seconds: number): string {
  const made = summary(result, tally, seconds);
  const fired = Object.entries(made.fired).map(([id, count]) => `  ${String(count).padStart(8)}  ${id}\n`);
  return (
    `${made.schedules} schedules, ${made.per_second} a second; each ${made.events_per_schedule} events, ` +
    `${made.operations_per_schedule} operations, ${made.faults_per_schedule} faults\n` +
    fewest(tally) +
    `rules that took part in a decision:\n${fired.join("")}` +
    `rules of what the simulator leaves out: ${made.left_out.join(", ") || "none"}\n` +
    `rules that never did: ${made.never.join(", ") || "none"}\n`
  );
}
