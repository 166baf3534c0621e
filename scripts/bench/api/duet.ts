import { sleep } from "../../../src/machine/clock.ts";
import type { Progress } from "../../../src/machine/progress.ts";
import type { BenchTable } from "../../bench-table.ts";
import { letLead, type Place, type Places, preferred } from "../failover/place.ts";
import type { Outcome } from "../failover/table.ts";
import { Attempts, runName, type Say } from "./attempts.ts";
import { type Cost, costOf, costTable } from "./cost.ts";
import { type ApiRun, loseApi } from "./loss.ts";
import { type Plan, rebootName, restName, writesName } from "./plan.ts";
import { press, type Pressure } from "./pressure.ts";
import { serverOf } from "./ready.ts";
import { rebootApi, type RebootRun } from "./reboot.ts";
import { apiTable, rebootTable } from "./table.ts";
import { duetSetting, type Setting } from "./two.ts";
import { awake } from "./whole.ts";

/** duet's two machines: its tables as they are measured, and at the end what stands beside plain ones. */
export async function* measureDuet(
  places: Places,
  plan: Plan,
  runs: number,
  progress: Progress,
): AsyncGenerator<BenchTable, Setting> {
  const attempts = new Attempts(places, progress);
  try {
    const rest = plan.rest
      ? await attempts.run(restName, async (place) => {
          // A machine that was switched off to measure the fence may still be starting its pods.
          await awake(place);
          await sleep(plan.settle_ms);
          return await costOf(place.lab, plan.rest_ms);
        })
      : undefined;
    if (rest !== undefined) yield restTable(rest, plan.rest_ms);
    const lost = plan.losses.map((loss) => ({ loss, runs: [] as Outcome<ApiRun>[] }));
    const reboots = plan.reboots.map((which) => ({ which, runs: [] as Outcome<RebootRun>[] }));
    const pressures: Outcome<Pressure>[] = [];
    // Round by round, so that a busy hour of the box hits every case. Losses are last: nobody has to wait for who was lost at the very end.
    for (let round = 1; round <= runs; round += 1) {
      const named = (what: string) => runName(what, round, runs);
      if (plan.writes)
        pressures.push(
          await attempts.run(named(writesName), (place, say) => pressLeader(place, plan.press_ms, say)),
        );
      for (const { which, runs: all } of reboots)
        all.push(await attempts.run(named(rebootName(which)), (place, say) => rebootApi(place, which, say)));
      for (const { loss, runs: all } of lost)
        all.push(await attempts.run(named(loss.name), (place, say) => loseApi(place, loss, say)));
    }
    if (lost.length > 0) yield apiTable(lost);
    if (reboots.length > 0) yield rebootTable(reboots);
    return duetSetting(lost, reboots.find(({ which }) => which === "leader")?.runs ?? [], pressures, rest);
  } finally {
    // Its machines would take their share of the processors from the plain ones.
    await attempts.close();
  }
}

/** At the API server of the machine that leads, as with plain machines. */
async function pressLeader(place: Place, press_ms: number, say: Say): Promise<Pressure> {
  const { lab } = place;
  await awake(place);
  const leader = preferred(lab);
  await letLead(place, leader);
  const pressure = await press(lab, serverOf(lab, leader), press_ms);
  say(`${pressure.writes_per_s.toFixed(0)} a second`);
  return pressure;
}

const restTable = (cost: Outcome<readonly Cost[]>, rest_ms: number): BenchTable =>
  cost.ok ? costTable(cost.value, rest_ms) : { ...costTable([], rest_ms), notes: [`Failed: ${cost.why}`] };
