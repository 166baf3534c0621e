import type { Progress } from "../../src/machine/progress.ts";
import type { BenchOptions, BenchTable } from "../bench-table.ts";
import { type Cost, costOf, costTable } from "./api/cost.ts";
import { type ApiRun, loseApi, rebootApi, type RebootRun } from "./api/loss.ts";
import { type ApiResult, apiTable, rebootTable } from "./api/table.ts";
import { losses } from "./failover/cases.ts";
import { takeDownWhenInterrupted } from "./failover/interrupt.ts";
import { type Place, Places } from "./failover/place.ts";
import type { Outcome } from "./failover/table.ts";

export const about =
  "the Kubernetes API: time without it by phase, planned reboots, replaced pods, and what a machine costs";

/** Most of an hour, or some minutes with --quick. */
export const onlyByName = true;

const name = "bench-api";
const disk_mb = 4 * 1024;
const rest_ms = 30_000;

export async function measure(progress: Progress, options: BenchOptions): Promise<readonly BenchTable[]> {
  takeDownWhenInterrupted(name);
  const places = new Places("fast", disk_mb, progress, { name, kubernetes: true });
  let hadLab = false;
  /** One that fails is told, and ends nothing: the next gets new machines. Without any lab there is nothing to measure. */
  const attempt = async <T>(
    what: string,
    work: (place: Place, say: (detail: string) => void) => Promise<T>,
  ): Promise<Outcome<T>> => {
    try {
      const place = await places.place();
      hadLab = true;
      return { ok: true, value: await progress.step(what, (say) => work(place, say)) };
    } catch (error) {
      if (!(error instanceof Error) || !hadLab) throw error;
      progress.say(`    ${error.message}`);
      await places.close();
      return { ok: false, why: error.message };
    }
  };
  try {
    const cost = await attempt("memory and processor time, at rest", ({ lab }) => costOf(lab, rest_ms));
    const cases = losses.filter(({ quick }) => quick || !options.quick);
    const runs = cases.map((): Outcome<ApiRun>[] => []);
    const reboots: Outcome<RebootRun>[] = [];
    // Round by round, so that a busy hour of the box hits every case.
    for (let round = 1; round <= options.runs; round += 1) {
      const of = options.runs === 1 ? "" : `, run ${round} of ${options.runs}`;
      for (const [index, loss] of cases.entries())
        runs[index]?.push(await attempt(`${loss.name}${of}`, (place, say) => loseApi(place, loss, say)));
      reboots.push(await attempt(`planned reboot of the leader${of}`, rebootApi));
    }
    const results = cases.map((loss, index): ApiResult => ({ loss, runs: runs[index] ?? [] }));
    return [apiTable(results), rebootTable(reboots), tableOf(cost)];
  } finally {
    await places.close();
  }
}

const tableOf = (cost: Outcome<readonly Cost[]>): BenchTable =>
  cost.ok ? costTable(cost.value, rest_ms) : { ...costTable([], rest_ms), notes: [`Failed: ${cost.why}`] };
