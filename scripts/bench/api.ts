import { machineOf } from "../../lab/folder.ts";
import { sleep } from "../../src/machine/clock.ts";
import type { Progress } from "../../src/machine/progress.ts";
import { apiUrl } from "../../src/render/kubernetes/names.ts";
import type { BenchOptions, BenchTable } from "../bench-table.ts";
import { type Cost, costOf, costTable } from "./api/cost.ts";
import { type ApiRun, loseApi } from "./api/loss.ts";
import { measurePlain, type PlainPlan } from "./api/plain/measure.ts";
import { press, type Pressure } from "./api/pressure.ts";
import { rebootApi, type RebootRun } from "./api/reboot.ts";
import { type ApiResult, apiTable, rebootTable } from "./api/table.ts";
import { duetSetting, type Setting, twoTable, type Windows } from "./api/two.ts";
import { bmcs, losses, type Stopped, stops } from "./failover/cases.ts";
import { takeDownWhenInterrupted } from "./failover/interrupt.ts";
import { letLead, type Place, Places, preferred, untilWhole } from "./failover/place.ts";
import type { Outcome } from "./failover/table.ts";

export const about =
  "the Kubernetes API: time without it by phase, planned reboots, replaced pods, and what two machines cost";

/** Most of an hour, or some minutes with --quick. */
export const onlyByName = true;

const name = "bench-api";
const disk_mb = 4 * 1024;

interface Plan extends Windows {
  /** Of the cases of `failover`. */
  readonly losses: readonly string[];
  readonly reboots: readonly Stopped[];
  readonly plain: readonly PlainPlan[];
}

const alone: PlainPlan = { title: "one machine, plain", machines: 1, ways: [] };
const three = "three machines, plain";

const full: Plan = {
  settle_ms: 10_000,
  rest_ms: 30_000,
  press_ms: 10_000,
  losses: losses.map((loss) => loss.name),
  reboots: stops,
  plain: [
    alone,
    { title: "two machines, plain", machines: 2, ways: [] },
    { title: three, machines: 3, ways: ["cut", "hang", "reboot"] },
  ],
};

/** The fence is not measured here, and nobody survives as the second: so no turn is waited for. */
const quick: Plan = {
  settle_ms: 2_000,
  rest_ms: 5_000,
  press_ms: 5_000,
  losses: [
    "leader, cut",
    "follower, cut",
    "leader, hang, survivor first",
    "follower, hang, survivor first",
    "wire cut",
  ],
  reboots: ["leader"],
  plain: [alone, { title: three, machines: 3, ways: ["cut"] }],
};

export async function measure(progress: Progress, options: BenchOptions): Promise<readonly BenchTable[]> {
  takeDownWhenInterrupted(name);
  const plan = options.quick ? quick : full;
  const places = new Places("fast", disk_mb, progress, {
    name,
    kubernetes: true,
    fenceTest: !options.quick,
  });
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
    const rest = await attempt("memory and processor time, at rest", async ({ lab }) => {
      await sleep(plan.settle_ms);
      return await costOf(lab, plan.rest_ms);
    });
    const cases = losses.filter((loss) => plan.losses.includes(loss.name));
    const runs = cases.map((): Outcome<ApiRun>[] => []);
    const reboots = plan.reboots.map((which) => ({ which, runs: [] as Outcome<RebootRun>[] }));
    const pressures: Outcome<Pressure>[] = [];
    // Round by round, so that a busy hour of the box hits every case.
    for (let round = 1; round <= options.runs; round += 1) {
      const of = options.runs === 1 ? "" : `, run ${round} of ${options.runs}`;
      for (const [index, loss] of cases.entries())
        runs[index]?.push(await attempt(`${loss.name}${of}`, (place, say) => loseApi(place, loss, say)));
      for (const each of reboots)
        each.runs.push(
          await attempt(`planned reboot of the ${each.which}${of}`, (place, say) =>
            rebootApi(place, each.which, say),
          ),
        );
    }
    // Last: what they write stays, and a machine that comes back would have to be given it.
    for (let run = 1; run <= options.runs; run += 1)
      pressures.push(
        await attempt(`writes, run ${run} of ${options.runs}`, (place, say) =>
          pressLeader(place, plan.press_ms, say),
        ),
      );
    // Its machines would take their share of the processors.
    await places.close();
    const results = cases.map((loss, index): ApiResult => ({ loss, runs: runs[index] ?? [] }));
    const ofLeader = reboots.find(({ which }) => which === "leader")?.runs ?? [];
    const duet = duetSetting(results, ofLeader, pressures, rest);
    const plain: Setting[] = [];
    const lay = { name, kubernetes: true, disk_mb, ...bmcs.fast };
    for (const each of plan.plain) plain.push(await measurePlain(each, lay, plan, options.runs, progress));
    return [
      apiTable(results),
      rebootTable(reboots),
      tableOf(rest, plan.rest_ms),
      twoTable([...plain.slice(0, 1), duet, ...plain.slice(1)], plan),
    ];
  } finally {
    await places.close();
  }
}

/** At the API server of the machine that leads, as with plain machines. */
async function pressLeader(place: Place, press_ms: number, say: (detail: string) => void): Promise<Pressure> {
  const { lab, etcds } = place;
  await untilWhole(etcds);
  const leader = preferred(lab);
  await letLead(place, leader);
  const [address = ""] = machineOf(lab, leader).machine.addresses;
  const pressure = await press(lab, apiUrl(address), press_ms);
  say(`${pressure.writes_per_s.toFixed(0)} a second`);
  return pressure;
}

const tableOf = (cost: Outcome<readonly Cost[]>, rest_ms: number): BenchTable =>
  cost.ok ? costTable(cost.value, rest_ms) : { ...costTable([], rest_ms), notes: [`Failed: ${cost.why}`] };
