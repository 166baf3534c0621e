import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { processesIn } from "../../../lab/cgroup.ts";
import { cgroupsOf, type Lab, machineOf } from "../../../lab/folder.ts";
import { sleep } from "../../../src/machine/clock.ts";
import { type MachineName, machine_names } from "../../../src/scenario/slots.ts";
import type { BenchTable } from "../../bench-table.ts";
import { sizes } from "../memory.ts";

/** At rest, with the pods of the control plane and no client. */
const window_ms = 30_000;
/** Linux counts processor time in hundredths of a second for everybody who reads it. */
const tick_ms = 10;
/** The kernel keeps 15 characters of a program's name. */
const parts: readonly { readonly name: string; readonly is: RegExp }[] = [
  { name: "kube-apiserver", is: /^kube-apiserver/ },
  { name: "etcd", is: /^etcd/ },
  { name: "controller manager, scheduler, kube-proxy", is: /^kube-(controller|scheduler|proxy)/ },
  { name: "kubelet, CRI-O and its helpers", is: /^(kubelet|crio|conmon|crun)/ },
  { name: "CoreDNS", is: /^coredns/ },
  { name: "Corosync and Pacemaker", is: /^(corosync|pacemaker|stonith|attrd|cib)/ },
  { name: "duet", is: /^(duet|MainThread)/ },
];

export interface Cost {
  readonly machine: MachineName;
  readonly name: string;
  readonly pss_mib: number;
  readonly cpu_percent: number;
}

async function ticks(lab: Lab, group: string): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const pid of await processesIn(join(cgroupsOf(lab).roster, group))) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [, name = "", rest = ""] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    const fields = rest.split(" ").map(Number);
    if (name !== "") found.set(`${pid} ${name}`, (fields[11] ?? 0) + (fields[12] ?? 0));
  }
  return found;
}

export async function costOf(lab: Lab): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  for (const machine of machine_names) {
    const { group } = machineOf(lab, machine);
    const before = await ticks(lab, group);
    await sleep(window_ms);
    const used = [...(await ticks(lab, group))].map(
      // One that began meanwhile has all of its time in the window.
      ([key, now]) => [key.split(" ").slice(1).join(" "), now - (before.get(key) ?? 0)] as const,
    );
    const memory = [...(await sizes(lab, group))];
    const row = (name: string, is: (comm: string) => boolean): Cost => ({
      machine,
      name,
      pss_mib: sum(memory.filter(([comm]) => is(comm)).map(([, mib]) => mib)),
      cpu_percent: (sum(used.filter(([comm]) => is(comm)).map(([, n]) => n)) * tick_ms * 100) / window_ms,
    });
    costs.push(
      row("everything", () => true),
      ...parts.map(({ name, is }) => row(name, (comm) => is.test(comm))),
    );
  }
  return costs;
}

const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);

export const costTable = (costs: readonly Cost[]): BenchTable => ({
  title: "what a machine with a control plane costs at rest",
  columns: ["pss_mib", "cpu_percent"],
  rows: costs.map(({ machine, name, pss_mib, cpu_percent }) => ({
    name: name === "everything" ? `${machine}, everything` : `  of it ${name}`,
    values: { pss_mib, cpu_percent },
  })),
  notes: [
    "PSS: memory shared between processes is divided among them, so the parts add up. CPU: percent of one core, over 30 s.",
    "Processes that began and ended within the window are not in it.",
  ],
  raw: costs,
});
