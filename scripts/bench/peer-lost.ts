import { feedOff, feedOn } from "../../lab/feed.ts";
import { type Lab, machineOf } from "../../lab/folder.ts";
import { isOn, metalOf } from "../../lab/metal/power.ts";
import { type Watch, watchPeer } from "../../lab/observe.ts";
import { runIn } from "../../lab/run.ts";
import { until } from "../../src/machine/clock.ts";
import type { Progress } from "../../src/machine/progress.ts";
import { type BenchTable, quantile } from "../bench-table.ts";
import { withBenchLab } from "../bench-lab.ts";

export const about = "a machine lost, by how it is lost: until its peer sees it, and until Off is confirmed";

const rounds = 3;
const lost = "node2";
const ways = ["cut", "hang", "feed off"] as const;
type Way = (typeof ways)[number];

export async function measure(progress: Progress): Promise<BenchTable> {
  return await withBenchLab(progress, async (lab) => {
    const seen = new Map<Way, { lost: number[]; off: number[] }>(
      ways.map((way) => [way, { lost: [], off: [] }]),
    );
    for (let round = 1; round <= rounds; round += 1) {
      for (const way of ways) {
        const figures = await progress.step(`${way}, round ${round} of ${rounds}`, () => lose(lab, way));
        seen.get(way)?.lost.push(figures.lost_ms);
        if (figures.off_ms !== undefined) seen.get(way)?.off.push(figures.off_ms);
      }
    }
    return {
      title: about,
      columns: ["lost_p50_ms", "lost_max_ms", "off_p50_ms", "off_max_ms"],
      rows: [...seen].map(([way, all]) => ({
        name: way,
        values: {
          lost_p50_ms: quantile(all.lost, 0.5),
          lost_max_ms: Math.max(...all.lost),
          off_p50_ms: all.off.length === 0 ? "never" : quantile(all.off, 0.5),
          off_max_ms: all.off.length === 0 ? "never" : Math.max(...all.off),
        },
      })),
      ratio: { of: "lost_p50_ms", to: "cut" },
      notes: [
        `${rounds} rounds each, losing the machine that is not preferred. The BMC takes 1 s for off.`,
        "feed off: the BMC is dead too, so nothing can confirm Off while the feed is away.",
      ],
    };
  });
}

async function lose(lab: Lab, way: Way): Promise<{ lost_ms: number; off_ms: number | undefined }> {
  const watch = await watchPeer(lab, "node1", lost);
  try {
    const start_ms = Date.now();
    if (way === "feed off") await feedOff(lab, machineOf(lab, lost));
    else if (way === "cut") await metalOf(lab, lost).cut();
    else await metalOf(lab, lost).hang();
    const lost_ms = (await watch.wait("lost", start_ms, 60_000)).at_ms - start_ms;
    const off_ms = way === "feed off" ? undefined : await offAfter(watch, start_ms);
    await bringBack(lab, way);
    return { lost_ms, off_ms };
  } finally {
    watch.stop();
  }
}

async function offAfter(watch: Watch, start_ms: number): Promise<number> {
  return (await watch.wait("off confirmed", start_ms, 120_000)).at_ms - start_ms;
}

/** Both online again. A machine that was fenced on its way back is powered on by hand, as often as it takes. */
async function bringBack(lab: Lab, way: Way): Promise<void> {
  const m = machineOf(lab, lost);
  if (way === "feed off") await feedOn(lab, m);
  await until(
    `${lost} online again`,
    async () => {
      const { stdout } = await runIn(lab, "node1", ["crm_mon", "-1"], { accept: "any" });
      if (stdout.includes(`OFFLINE: [ ${lost} ]`) && !(await isOn(lab, m))) await metalOf(lab, lost).on();
      return stdout.includes("Online: [ node1 node2 ]");
    },
    { deadline_ms: 180_000, every_ms: 500 },
  );
}
