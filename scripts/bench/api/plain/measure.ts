import { takeDown } from "../../../../lab/down.ts";
import { labFolder } from "../../../../lab/folder.ts";
import { lockedLab } from "../../../../lab/lock.ts";
import { labLaid, type LayOptions } from "../../../../lab/up.ts";
import { fail } from "../../../../src/base/problem.ts";
import { sleep } from "../../../../src/machine/clock.ts";
import { exists } from "../../../../src/machine/files.ts";
import type { Progress } from "../../../../src/machine/progress.ts";
import type { Outcome } from "../../failover/table.ts";
import { attempt, failed, quietly, runName, type Say } from "../attempts.ts";
import { costOf } from "../cost.ts";
import { press } from "../pressure.ts";
import { serverOf } from "../ready.ts";
import { failedSetting, type Setting, type Way, wayName, ways, type Windows } from "../two.ts";
import { PlainCluster } from "./cluster.ts";
import { losePlain } from "./loss.ts";

export interface PlainPlan {
  readonly title: string;
  readonly machines: number;
  /** Is it looked at without clients? */
  readonly rest: boolean;
  /** What is tried: of two that are not duet's, neither goes on without the other. */
  readonly ways: readonly Way[];
}

/** Plain machines from nothing to nothing. What fails is told in the table, and ends nothing else. */
export async function measurePlain(
  plan: PlainPlan,
  options: LayOptions,
  windows: Windows,
  runs: number,
  progress: Progress,
): Promise<Setting> {
  const { title, machines } = plan;
  try {
    await refuseTaken(options.name);
    try {
      const laid = await lockedLab(options.name, () => labLaid(options, progress));
      const up = await attempt(progress, `${title}: up`, (say) => PlainCluster.up(laid, machines, say));
      return up.ok
        ? await measureUp(up.value, plan, windows, runs, progress)
        : failedSetting(title, machines, up);
    } finally {
      await quietly(progress, () => takeDown(options.name));
    }
  } catch (error) {
    return failedSetting(title, machines, failed(progress, error));
  }
}

/** It would be taken down here at the end, and is somebody's: another run's, or what duet's part could not take away. */
async function refuseTaken(name: string): Promise<void> {
  if (await exists(labFolder(name)))
    fail(
      "DUET-E-LAB-EXISTS",
      name,
      `there is a lab of this name already (duet lab down --name ${name} takes it away)`,
      "wait for who uses it, or take it down",
    );
}

async function measureUp(
  cluster: PlainCluster,
  { title, machines, rest: looks, ways: tried }: PlainPlan,
  windows: Windows,
  runs: number,
  progress: Progress,
): Promise<Setting> {
  const { lab, names } = cluster;
  const [first = ""] = names;
  const once = <T>(what: string, work: (say: Say) => Promise<T>) =>
    attempt(progress, `${title}: ${what}`, work);
  const repeat = async <T>(what: string, work: (say: Say) => Promise<T>): Promise<readonly Outcome<T>[]> => {
    const all: Outcome<T>[] = [];
    for (let run = 1; run <= runs; run += 1) all.push(await once(runName(what, run, runs), work));
    return all;
  };
  const rest = looks
    ? await once("memory and processor time, at rest", async () => {
        await sleep(windows.settle_ms);
        return await costOf(lab, windows.rest_ms);
      })
    : undefined;
  const pressures = await repeat("writes", async (say) => {
    await cluster.letLead(first);
    const pressure = await press(lab, serverOf(lab, first), windows.press_ms);
    say(`${pressure.writes_per_s.toFixed(0)} a second`);
    return pressure;
  });
  const outages: Partial<Record<Way, readonly Outcome<number>[]>> = {};
  for (const way of ways)
    if (tried.includes(way)) outages[way] = await repeat(wayName(way), (say) => losePlain(cluster, way, say));
  return { name: title, machines, pressures, outages, replaced: [], rest };
}
