import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { processesIn } from "../../lab/cgroup.ts";
import { cgroupsOf, type Lab, machineOf } from "../../lab/folder.ts";
import { sleep } from "../../src/machine/clock.ts";
import type { Progress } from "../../src/machine/progress.ts";
import type { BenchTable } from "../bench-table.ts";
import { withBenchLab } from "../bench-lab.ts";

export const about = "memory of one machine with Corosync and Pacemaker, and of its BMC";

export async function measure(progress: Progress): Promise<BenchTable> {
  return await withBenchLab(progress, async (lab) => {
    await progress.step("let it settle", () => sleep(5_000));
    const machine = await sizes(lab, machineOf(lab, "node1").group);
    const total = sum(machine);
    const named = [...machine].toSorted((a, b) => b[1] - a[1]).slice(0, 6);
    return {
      title: about,
      columns: ["pss_mib"],
      rows: [
        { name: "one machine, all processes", values: { pss_mib: total } },
        ...named.map(([name, mib]) => ({ name: `  of it ${name}`, values: { pss_mib: mib } })),
        {
          name: "its BMC (of the lab, not of the product)",
          values: { pss_mib: sum(await sizes(lab, "bmc-1")) },
        },
      ],
      ratio: { of: "pss_mib", to: "one machine, all processes" },
      notes: ["PSS: memory shared between processes is divided among them, so the parts add up."],
    };
  });
}

const sum = (all: ReadonlyMap<string, number>): number => [...all.values()].reduce((a, b) => a + b, 0);

/** PSS in MiB by program. */
export async function sizes(lab: Lab, group: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const pid of await processesIn(join(cgroupsOf(lab).roster, group))) {
    const name = (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim();
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
    const kib = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
    if (name !== "") found.set(name, (found.get(name) ?? 0) + kib / 1024);
  }
  return found;
}
