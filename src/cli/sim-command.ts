import { performance } from "node:perf_hooks";
import {
  type Explored,
  explore,
  type Found,
  type Runner,
  shrinkFound,
  story,
} from "../../sim/kernel/explore.ts";
import type { Choice } from "../../sim/kernel/choices.ts";
import { noPlant, type Plant, plants } from "../../sim/plants.ts";
import { newTally, stormRunner, type Tally } from "../../sim/storm.ts";
import { exit, type ExitStatus, fail } from "../base/problem.ts";
import { nearest } from "../base/text.ts";
import { plainTables } from "../decide/print.ts";
import { paint, printJson } from "./output.ts";
import type { SimOptions } from "./sim.ts";

const schedules_default = 500;
const shrink_runs_max = 400;
const progress_ms = 5_000;
/** What a person reads of a timeline; clients and single messages are left out. */
const told = ["storm", "duet", "machine", "corosync", "pacemaker.fence", "bmc", "pdu", "etcd", "VIOLATION"];

export async function simRun(options: SimOptions): Promise<ExitStatus> {
  const plant = plantOf(options.plant);
  const seed = numberOf("--seed", options.seed);
  const minutes = options.minutes === undefined ? undefined : numberOf("--minutes", options.minutes);
  const schedules =
    options.schedules === undefined
      ? minutes === undefined
        ? schedules_default
        : Number.MAX_SAFE_INTEGER
      : numberOf("--schedules", options.schedules);
  const tally = newTally();
  const begun_ms = performance.now();
  const result = await explore(watched(stormRunner(plant, tally), options.json !== true), {
    seed,
    schedules,
    goOn: () => minutes === undefined || performance.now() - begun_ms < minutes * 60_000,
  });
  const seconds = (performance.now() - begun_ms) / 1000;
  const shown = result.found === undefined ? undefined : await tell(plant, result.found);
  if (options.json === true)
    printJson({ plant: plant.name, ...summary(result, tally, seconds), found: shown });
  else
    process.stdout.write(summaryText(result, tally, seconds) + (shown === undefined ? "" : foundText(shown)));
  return result.found === undefined ? exit.ok : exit.failed;
}

export async function simReplay(
  text: string,
  options: Pick<SimOptions, "plant" | "json">,
): Promise<ExitStatus> {
  const run = stormRunner(plantOf(options.plant));
  const kernel = await run({ seed: numberOf("the seed", text) }, { trace: true });
  const timeline = [...kernel.trace.lines(...told)];
  const { violation, events } = kernel;
  if (options.json === true) printJson({ events, violation, timeline });
  else process.stdout.write(`${timeline.join("\n")}\n`);
  return violation === undefined ? exit.ok : exit.failed;
}

/** A line now and then on stderr, so that a long run is not a silent one. */
function watched(run: Runner, aloud: boolean): Runner {
  const begun_ms = performance.now();
  let last_ms = begun_ms;
  let schedules = 0;
  return async (schedule, options) => {
    const kernel = await run(schedule, options);
    schedules += 1;
    const now_ms = performance.now();
    if (aloud && now_ms - last_ms >= progress_ms) {
      last_ms = now_ms;
      const rate = (schedules * 1000) / (now_ms - begun_ms);
      process.stderr.write(`${schedules} schedules, ${rate.toFixed(0)} a second, seed ${schedule.seed}\n`);
    }
    return kernel;
  };
}

interface Told {
  readonly seed: number;
  readonly check: string;
  readonly what: string;
  readonly choices: readonly Choice[];
  readonly timeline: readonly string[];
}

async function tell(plant: Plant, found: Found): Promise<Told> {
  const run = stormRunner(plant);
  const small = await shrinkFound(run, found, shrink_runs_max);
  const { seed, violation } = found;
  return {
    seed,
    check: violation.check,
    what: violation.what,
    choices: small.choices ?? found.choices,
    timeline: await story(run, small, ...told),
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
    fired: Object.fromEntries([...tally.fired].toSorted((a, b) => b[1] - a[1])),
    never: rules.filter((id) => !tally.fired.has(id)),
  };
}

function summaryText(result: Explored, tally: Tally, seconds: number): string {
  const made = summary(result, tally, seconds);
  const fired = Object.entries(made.fired).map(([id, count]) => `  ${String(count).padStart(8)}  ${id}\n`);
  return (
    `${made.schedules} schedules, ${made.per_second} a second; each ${made.events_per_schedule} events, ` +
    `${made.operations_per_schedule} operations, ${made.faults_per_schedule} faults\n` +
    `rules that took part in a decision:\n${fired.join("")}` +
    `rules that never did: ${made.never.join(", ") || "none"}\n`
  );
}

const foundText = ({ seed, check, what, choices, timeline }: Told): string =>
  `\n${paint("red", `seed ${seed} breaks "${check}"`)}: ${what}\n` +
  `shrunk to ${choices.length} choices:\n` +
  choices.map(({ label, nth, value }) => `  ${label} #${nth} = ${value}\n`).join("") +
  `\n${timeline.join("\n")}\n`;

function plantOf(name: string | undefined): Plant {
  if (name === undefined) return noPlant;
  const found = plants.find((plant) => plant.name === name);
  if (found !== undefined) return found;
  const names = plants.map((plant) => plant.name);
  const near = nearest(name, names);
  return fail(
    "DUET-E-PLANT-UNKNOWN",
    name,
    "there is no plant with this name",
    near === undefined ? `there are ${names.join(", ")}` : `did you mean ${near}?`,
    exit.badInput,
  );
}

function numberOf(where: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  return fail(
    "DUET-E-SIM-NUMBER",
    where,
    `${text} is not a whole number`,
    "give digits only, such as 1022",
    exit.badInput,
  );
}
