import type { Progress } from "../../src/machine/progress.ts";
import type { BenchOptions, BenchTable } from "../bench-table.ts";
import { stops, type Stopped } from "./failover/cases.ts";
import { lab_name, type Place, Places } from "./failover/place.ts";
import { takeDownWhenInterrupted } from "./failover/interrupt.ts";
import type { Outcome } from "./failover/table.ts";
import { returnAlone, type Which } from "./return/lone.ts";
import type { LoneParts } from "./return/parts.ts";
import { rebootInOrder, type RebootRun } from "./return/reboot.ts";
import { loneTable, rebootTable, type Result } from "./return/table.ts";

export const about =
  "coming back: a lone machine's first write after a power cut, and a planned reboot's gap";

/** Some minutes for each run. */
export const onlyByName = true;

const disk_mb = 4 * 1024;

export async function measure(progress: Progress, options: BenchOptions): Promise<readonly BenchTable[]> {
  takeDownWhenInterrupted(lab_name);
  const places = new Places("fast", disk_mb, progress);
  const lone: readonly Which[] = options.quick ? ["first"] : ["first", "second"];
  const reboots: Result<Stopped, RebootRun>[] = [];
  const returns: Result<Which, LoneParts>[] = [];
  const often = async <T>(
    what: string,
    work: (place: Place, say: (detail: string) => void) => Promise<T>,
  ): Promise<readonly Outcome<T>[]> => {
    const runs: Outcome<T>[] = [];
    for (let round = 1; round <= options.runs; round += 1) {
      const name = options.runs === 1 ? what : `${what}, run ${round} of ${options.runs}`;
      // Without a lab there is nothing to measure: that is no failed run.
      const place = await places.place();
      runs.push(await once(progress, name, (say) => work(place, say)));
      // Nobody knows what the machines of a failed run are in.
      if (runs.at(-1)?.ok === false) await places.close();
    }
    return runs;
  };
  try {
    for (const name of stops)
      reboots.push({
        name,
        runs: await often(`planned reboot of the ${name}`, (place, say) => rebootInOrder(place, name, say)),
      });
    for (const name of lone)
      returns.push({
        name,
        runs: await often(`lone return of the ${name}`, (place, say) => returnAlone(place, name, say)),
      });
    return [loneTable(returns, places.facts), rebootTable(reboots)];
  } finally {
    await places.close();
  }
}

async function once<T>(
  progress: Progress,
  name: string,
  work: (say: (detail: string) => void) => Promise<T>,
): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await progress.step(name, work) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    progress.say(`    ${error.message}`);
    return { ok: false, why: error.message };
  }
}
