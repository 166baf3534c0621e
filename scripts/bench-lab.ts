import { removeLab } from "../lab/down.ts";
import type { Lab } from "../lab/folder.ts";
import { lockedLab } from "../lab/lock.ts";
import { labUp } from "../lab/up.ts";
import type { Progress } from "../src/machine/progress.ts";

/** A lab for as long as a measurement takes, under a name of its own. */
export async function withBenchLab<T>(progress: Progress, work: (lab: Lab) => Promise<T>): Promise<T> {
  const name = "bench";
  return await lockedLab(name, async (folder) => {
    try {
      return await work(
        await labUp({ name, disk_mb: 2048, off_ms: 1000, on_ms: 1000, wait: true }, progress),
      );
    } finally {
      await removeLab(folder);
    }
  });
}
