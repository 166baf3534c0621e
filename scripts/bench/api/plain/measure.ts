import { takeDown } from "../../../../lab/down.ts";
import { lockedLab } from "../../../../lab/lock.ts";
import { labLaid, type LayOptions } from "../../../../lab/up.ts";
import { sleep } from "../../../../src/machine/clock.ts";
import type { Progress } from "../../../../src/machine/progress.ts";
import type { Outcome } from "../../failover/table.ts";
import { costOf } from "../cost.ts";
import { press } from "../pressure.ts";
import { type Setting, type Way, ways, type Windows } from "../two.ts";
import { PlainCluster } from "./cluster.ts";
import { losePlain } from "./loss.ts";

export interface PlainPlan {
  readonly title: string;
  readonly machines: number;
  /** What is tried with its leader; with fewer than three nobody would go on. */
  readonly ways: readonly Way[];
}

type Say = (detail: string) => void;

/** Plain machines from nothing to nothing. What fails is told in the table, and ends nothing else. */
export async function measurePlain(
  { title, machines, ways: tried }: PlainPlan,
  options: LayOptions,
  windows: Windows,
  runs: number,
  progress: Progress,
): Promise<Setting> {
  const attempt = async <T>(what: string, work: (say: Say) => Promise<T>): Promise<Outcome<T>> => {
    try {
      return { ok: true, value: await progress.step(`${title}: ${what}`, work) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      progress.say(`    ${error.message}`);
      return { ok: false, why: error.message };
    }
  };
  const repeat = async <T>(what: string, work: (say: Say) => Promise<T>): Promise<readonly Outcome<T>[]> => {
    const all: Outcome<T>[] = [];
    for (let run = 1; run <= runs; run += 1)
      all.push(await attempt(runs === 1 ? what : `${what}, run ${run} of ${runs}`, work));
    return all;
  };
  try {
    const laid = await lockedLab(options.name, () => labLaid(options, progress));
    const up = await attempt("up", (say) => PlainCluster.up(laid, machines, say));
    if (!up.ok) return { name: title, pressures: [up], outages: {}, rest: up };
    const cluster = up.value;
    const { lab, names } = cluster;
    const [first = ""] = names;
    const rest = await attempt("memory and processor time, at rest", async () => {
      await sleep(windows.settle_ms);
      return await costOf(lab, windows.rest_ms);
    });
    const pressures = await repeat("writes", async (say) => {
      await cluster.letLead(first);
      const pressure = await press(lab, cluster.server(first), windows.press_ms);
      say(`${pressure.writes_per_s.toFixed(0)} a second`);
      return pressure;
    });
    const outages: Partial<Record<Way, readonly Outcome<number>[]>> = {};
    for (const way of ways)
      if (tried.includes(way))
        outages[way] = await repeat(`leader, ${way}`, (say) => losePlain(cluster, way, say));
    return { name: title, pressures, outages, rest };
  } finally {
    await takeDown(options.name);
  }
}
