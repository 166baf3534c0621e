import type { Progress } from "../../src/machine/progress.ts";
import type { BenchOptions, BenchTable } from "../bench-table.ts";
import { measureDuet } from "./api/duet.ts";
import { measurePlain } from "./api/plain/measure.ts";
import { hasDuet, planOf } from "./api/plan.ts";
import { type Setting, twoTable } from "./api/two.ts";
import { bmcs } from "./failover/cases.ts";
import { takeDownWhenInterrupted } from "./failover/interrupt.ts";
import { Places } from "./failover/place.ts";

export const about =
  "the Kubernetes API: time without it by phase, planned reboots, replaced pods, and what two machines cost";

/** Over an hour, or some minutes with --quick. */
export const onlyByName = true;

const name = "bench-api";
const disk_mb = 4 * 1024;

/** Table by table: what was measured in the first hour is shown, whatever becomes of the second. */
export async function* measure(
  progress: Progress,
  options: BenchOptions,
): AsyncGenerator<BenchTable, void, undefined> {
  const plan = planOf(options);
  takeDownWhenInterrupted(name);
  const settings: Setting[] = [];
  if (hasDuet(plan)) {
    const fenceTest = !options.quick;
    const places = new Places("fast", disk_mb, progress, { name, kubernetes: true, fenceTest });
    settings.push(yield* measureDuet(places, plan, options.runs, progress));
  }
  const lay = { name, kubernetes: true, disk_mb, ...bmcs.fast };
  for (const each of plan.plain) settings.push(await measurePlain(each, lay, plan, options.runs, progress));
  // Of duet's losses alone there is nothing in it that the tables above have not.
  if (plan.writes || plan.plain.length > 0) yield twoTable(settings, plan);
}
