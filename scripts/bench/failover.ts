import type { Progress } from "../../src/machine/progress.ts";
import { isAsked, refuseNothing } from "../bench-only.ts";
import type { BenchOptions, BenchTable } from "../bench-table.ts";
import { type BmcName, losses, type Stopped, stops } from "./failover/cases.ts";
import { fill } from "./failover/data.ts";
import { lose } from "./failover/loss.ts";
import { measureMonitors, monitorTable } from "./failover/monitor.ts";
import { takeDownWhenInterrupted } from "./failover/interrupt.ts";
import { lab_name, type Place, Places } from "./failover/place.ts";
import { rejoin } from "./failover/rejoin.ts";
import { stopInOrder } from "./failover/stop.ts";
import {
  type LabFacts,
  type LossResult,
  lossTable,
  type Outcome,
  type RejoinResult,
  rejoinTable,
  type StopResult,
  type StopRun,
  stopTable,
} from "./failover/table.ts";

export const about =
  "a failover: time without writes by phase, planned stops, rejoin, and what a monitor costs";

/** Over an hour, or some minutes with --quick. */
export const onlyByName = true;

/** What the clients write, and what a machine that comes back has moved aside. */
const disk_mb = 4 * 1024;
/** The same with 2 GB of data: twice, while a snapshot is received, beside what was moved aside by this run and those before (a quarter of the disk). */
const big_disk_mb = 16 * 1024;
const calls = { quick: 5, full: 20 };
const small_mb = 100;
const big_mb = 2000;

const lossName = (bmc: BmcName, name: string): string => `${bmc} BMC: ${name}`;
const stopName = (stopped: Stopped): string => `planned stop of the ${stopped}`;
const rejoinName = (data: string): string => `rejoin of ${data}`;
const monitorName = "monitors";

/** What `--only` can name. */
export const namesIn = ({ quick }: Pick<BenchOptions, "quick">): readonly string[] => [
  ...(quick ? (["fast"] as const) : (["fast", "slow"] as const)).flatMap((bmc) =>
    losses.filter((each) => each.quick || !quick).map(({ name }) => lossName(bmc, name)),
  ),
  ...stops.map(stopName),
  monitorName,
  ...(quick ? ["100 MB"] : ["100 MB", "2 GB"]).map(rejoinName),
];

type Work<T> = (place: Place, say: (detail: string) => void) => Promise<T>;

export async function measure(progress: Progress, options: BenchOptions): Promise<readonly BenchTable[]> {
  refuseNothing(options, namesIn(options));
  const bench = new FailoverBench(progress, options);
  takeDownWhenInterrupted(lab_name);
  try {
    await bench.inLab("fast", disk_mb, async () => {
      await bench.losses("fast");
      await bench.stops();
      await bench.monitors();
      await bench.rejoins("100 MB", small_mb);
    });
    if (!options.quick) {
      await bench.inLab("slow", disk_mb, () => bench.losses("slow"));
      await bench.inLab("fast", big_disk_mb, () => bench.rejoins("2 GB", big_mb));
    }
  } finally {
    await bench.close();
  }
  return bench.tables();
}

class FailoverBench {
  readonly #progress: Progress;
  readonly #options: BenchOptions;
  readonly #facts: LabFacts[] = [];
  readonly #losses: LossResult[] = [];
  readonly #stops: StopResult[] = [];
  readonly #rejoins: RejoinResult[] = [];
  #monitors: BenchTable | undefined;
  #places: Places | undefined;
  #hadLab = false;

  constructor(progress: Progress, options: BenchOptions) {
    this.#progress = progress;
    this.#options = options;
  }

  async inLab(bmc: BmcName, size_mb: number, work: () => Promise<void>): Promise<void> {
    await this.close();
    this.#places = new Places(bmc, size_mb, this.#progress);
    await work();
  }

  async close(): Promise<void> {
    await this.#places?.close();
  }

  async losses(bmc: BmcName): Promise<void> {
    const cases = losses.filter(
      ({ name, quick }) => (quick || !this.#options.quick) && this.#isAsked(lossName(bmc, name)),
    );
    const runs = cases.map((): Outcome<Awaited<ReturnType<typeof lose>>>[] => []);
    // Round by round, so that a busy hour of the box hits every case.
    for (let round = 1; round <= this.#options.runs; round += 1)
      for (const [index, loss] of cases.entries())
        runs[index]?.push(
          await this.#run(`${lossName(bmc, loss.name)}${this.#of(round)}`, (place, say) =>
            lose(place, loss, say),
          ),
        );
    this.#losses.push(...cases.map((loss, index) => ({ bmc, loss, runs: runs[index] ?? [] })));
    const facts = this.#places?.facts;
    if (facts !== undefined) this.#facts.push(facts);
  }

  async stops(): Promise<void> {
    for (const stopped of stops.filter((each) => this.#isAsked(stopName(each)))) {
      const runs: Outcome<StopRun>[] = [];
      for (let round = 1; round <= this.#options.runs; round += 1)
        runs.push(
          await this.#run(`${stopName(stopped)}${this.#of(round)}`, (place, say) =>
            stopInOrder(place, stopped, say),
          ),
        );
      this.#stops.push({ stopped, runs });
    }
  }

  async rejoins(name: string, data_mb: number): Promise<void> {
    if (!this.#isAsked(rejoinName(name))) return;
    const runs: Outcome<Awaited<ReturnType<typeof rejoin>>>[] = [];
    let filled: Place | undefined;
    for (let round = 1; round <= this.#options.runs; round += 1)
      runs.push(
        await this.#run(`${rejoinName(name)}${this.#of(round)}`, async (place, say) => {
          // A new lab after a failed run is an empty one.
          if (filled !== place) await fill(place, data_mb);
          filled = place;
          const done = await rejoin(place);
          say(`${(done.full_ms / 1000).toFixed(1)} s for ${done.data_mb.toFixed(0)} MB`);
          return done;
        }),
      );
    this.#rejoins.push({ name, runs });
  }

  async monitors(): Promise<void> {
    const count = this.#options.quick ? calls.quick : calls.full;
    if (!this.#isAsked(monitorName)) return;
    const outcome = await this.#run(`${count} ${monitorName}`, ({ lab }) =>
      measureMonitors(lab, "node1", count),
    );
    if (outcome.ok) this.#monitors = monitorTable(outcome.value);
    else
      this.#monitors = {
        title: "a monitor of ocf:duet:etcd",
        columns: [],
        rows: [],
        notes: [`Failed: ${outcome.why}`],
      };
  }

  tables(): readonly BenchTable[] {
    return [
      ...(this.#losses.length > 0 ? [lossTable(this.#losses, this.#facts)] : []),
      ...(this.#stops.length > 0 ? [stopTable(this.#stops)] : []),
      ...(this.#rejoins.length > 0 ? [rejoinTable(this.#rejoins)] : []),
      ...(this.#monitors === undefined ? [] : [this.#monitors]),
    ];
  }

  #isAsked(name: string): boolean {
    return isAsked(this.#options, name);
  }

  #of(round: number): string {
    return this.#options.runs === 1 ? "" : `, run ${round} of ${this.#options.runs}`;
  }

  /** One that fails is told, and ends nothing: the next gets new machines. Without any lab there is nothing to measure. */
  async #run<T>(name: string, work: Work<T>): Promise<Outcome<T>> {
    const places = this.#places;
    if (places === undefined) return { ok: false, why: "there is no lab" };
    try {
      const place = await places.place();
      this.#hadLab = true;
      return { ok: true, value: await this.#progress.step(name, (say) => work(place, say)) };
    } catch (error) {
      if (!(error instanceof Error) || !this.#hadLab) throw error;
      this.#progress.say(`    ${error.message}`);
      await places.close();
      return { ok: false, why: error.message };
    }
  }
}
