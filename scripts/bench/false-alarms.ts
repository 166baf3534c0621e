import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import type { Lab } from "../../lab/folder.ts";
import { runIn } from "../../lab/run.ts";
import { sleep } from "../../src/machine/clock.ts";
import { type Progress, seconds } from "../../src/machine/progress.ts";
import { detectionOf } from "../../src/render/corosync.ts";
import { withBenchLab } from "../bench-lab.ts";
import type { BenchOptions, BenchRow, BenchTable } from "../bench-table.ts";
import { alarmsIn, type Counts, countsIn } from "./false-alarms/read.ts";

export const about = "an hour with every core busy: how often a machine that lives was taken for dead";

/** An hour, or two minutes with --quick. */
export const onlyByName = true;

const hour_ms = 3_600_000;
const quick_ms = 120_000;
const look_ms = 15_000;

export async function measure(progress: Progress, { quick }: BenchOptions): Promise<BenchTable> {
  const total_ms = quick ? quick_ms : hour_ms;
  return await withBenchLab(progress, async (lab) => {
    const names = lab.site.machines.map(({ name }) => name);
    const before = await Promise.all(names.map((name) => counted(lab, name)));
    const busy = beBusy(total_ms);
    const begun_ms = Date.now();
    try {
      await progress.step(`every core busy for ${seconds(total_ms)}`, async (say) => {
        for (let passed_ms = 0; passed_ms < total_ms; passed_ms = Date.now() - begun_ms) {
          await sleep(Math.min(look_ms, total_ms - passed_ms));
          say(`${seconds(Date.now() - begun_ms)} passed`);
        }
      });
    } finally {
      for (const each of busy) each.kill();
    }
    const rows = await Promise.all(
      names.map(async (name, index): Promise<BenchRow> => {
        const after = await counted(lab, name);
        const { losses, fences, late_ms } = alarmsIn(await journalSince(lab, name, begun_ms));
        return {
          name,
          values: {
            busy_min: total_ms / 60_000,
            tokens_lost: after.tokens_lost - (before[index]?.tokens_lost ?? 0),
            memberships: after.memberships - (before[index]?.memberships ?? 0),
            losses,
            fences,
            late: late_ms.length,
            late_worst_ms: late_ms.length === 0 ? "-" : Math.max(...late_ms),
          },
        };
      }),
    );
    const { token_ms, consensus_ms } = detectionOf(lab.site);
    return {
      title: about,
      columns: ["busy_min", "tokens_lost", "memberships", "losses", "fences", "late", "late_worst_ms"],
      rows,
      notes: [
        `Corosync with a token of ${token_ms} ms and a consensus of ${consensus_ms} ms; ${availableParallelism()} cores, one endless loop on each beside the two machines.`,
        "memberships: how often the ring was formed anew; losses: how often without the peer.",
        "late: how often Corosync says that it was not scheduled in time, and the longest it says.",
      ],
    };
  });
}

/** One endless loop for each core. `timeout` hands on the signal that ends it, and ends it should nobody send one. */
const beBusy = (total_ms: number): readonly ChildProcess[] =>
  Array.from({ length: availableParallelism() }, () =>
    spawn("timeout", [String(total_ms / 1000 + 60), "sh", "-c", "while :; do :; done"], {
      stdio: "ignore",
    }),
  );

async function counted(lab: Lab, name: string): Promise<Counts> {
  return countsIn((await runIn(lab, name, ["corosync-cmapctl", "-m", "stats"])).stdout);
}

async function journalSince(lab: Lab, name: string, begun_ms: number): Promise<string> {
  const since = `--since=@${Math.floor(begun_ms / 1000)}`;
  const argv = ["journalctl", "--no-pager", "--output=cat", "--unit=corosync", "--unit=pacemaker", since];
  return (await runIn(lab, name, argv, { deadline_ms: 60_000 })).stdout;
}
