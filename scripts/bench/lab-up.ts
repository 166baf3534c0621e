import { now_ms } from "../../src/machine/clock.ts";
import type { Progress } from "../../src/machine/progress.ts";
import { type BenchTable, quantile } from "../bench-table.ts";
import { withBenchLab } from "../bench-lab.ts";

export const about = "lab up with a cached image, to a formed cluster with fencing in place";

const rounds = 3;

export async function measure(progress: Progress): Promise<BenchTable> {
  // Once, uncounted: image and executable are built and the page cache is warm.
  await withBenchLab(progress, () => Promise.resolve());
  const ups: number[] = [];
  const downs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start_ms = now_ms();
    let up_ms = 0;
    await withBenchLab(progress, () => {
      up_ms = now_ms();
      return Promise.resolve();
    });
    ups.push(up_ms - start_ms);
    downs.push(now_ms() - up_ms);
  }
  const row = (name: string, all: readonly number[]) => ({
    name,
    values: { min_ms: Math.min(...all), p50_ms: quantile(all, 0.5), max_ms: Math.max(...all) },
  });
  return {
    title: about,
    columns: ["min_ms", "p50_ms", "max_ms"],
    rows: [row("up", ups), row("down", downs)],
    ratio: { of: "p50_ms", to: "down" },
    notes: [`${rounds} rounds.`],
  };
}
