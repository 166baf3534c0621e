import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureHost } from "../../lab/host.ts";
import { ensureImage } from "../../lab/image.ts";
import { now_ms } from "../../src/machine/clock.ts";
import { run } from "../../src/machine/process.ts";
import type { Progress } from "../../src/machine/progress.ts";
import type { BenchTable } from "../bench-table.ts";

export const about = "the machines' OS image: built from nothing, and found in the cache";

export async function measure(progress: Progress): Promise<BenchTable> {
  await ensureHost(progress);
  const folder = await mkdtemp(join(tmpdir(), "duet-bench-cache-"));
  const before = process.env["DUET_CACHE"];
  process.env["DUET_CACHE"] = folder;
  const timed = async () => {
    const start_ms = now_ms();
    await ensureImage(progress);
    return now_ms() - start_ms;
  };
  try {
    const cold_ms = await timed();
    const cached_ms = await timed();
    const { stdout } = await run(["du", "--summarize", "--block-size=1M", folder]);
    return {
      title: about,
      columns: ["time_ms", "size_mb"],
      rows: [
        { name: "built", values: { time_ms: cold_ms, size_mb: Number(stdout.split("\t")[0]) } },
        { name: "cached", values: { time_ms: cached_ms, size_mb: "" } },
      ],
      ratio: { of: "time_ms", to: "cached" },
    };
  } finally {
    if (before === undefined) delete process.env["DUET_CACHE"];
    else process.env["DUET_CACHE"] = before;
    await rm(folder, { recursive: true, force: true });
  }
}
