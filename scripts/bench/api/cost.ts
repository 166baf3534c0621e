import { allMachines, type Lab, type LabMachine } from "../../../lab/folder.ts";
import { sleep } from "../../../src/machine/clock.ts";
import type { BenchTable } from "../../bench-table.ts";
import { sizes } from "../memory.ts";
import { machineTime_ms, type Process, processesOf, usedSince_ms } from "./processes.ts";

const parts: readonly { readonly name: string; readonly is: RegExp }[] = [
  { name: "kube-apiserver", is: /^kube-apiserver/ },
  { name: "etcd", is: /^etcd/ },
  { name: "controller manager, scheduler, kube-proxy", is: /^kube-(controller|scheduler|proxy)/ },
  { name: "kubelet, CRI-O and its helpers", is: /^(kubelet|crio|conmon|crun)/ },
  { name: "CoreDNS", is: /^coredns/ },
  { name: "Corosync and Pacemaker", is: /^(corosync|pacemaker|stonith|attrd|cib)/ },
  { name: "duet", is: /^(duet|MainThread)/ },
];
export const everything = "everything";
const others = "systemd and others, and what came and went";

export interface Cost {
  readonly machine: string;
  readonly name: string;
  readonly pss_mib: number;
  readonly cpu_percent: number;
}

/** A machine at one moment. */
interface Look {
  readonly used_ms: number;
  readonly processes: readonly Process[];
}

const look = async (lab: Lab, m: LabMachine): Promise<Look> => ({
  used_ms: await machineTime_ms(lab, m),
  processes: await processesOf(lab, m),
});

/** At rest, with the pods of the control plane and no client: every machine and its parts. */
export async function costOf(lab: Lab, window_ms: number): Promise<readonly Cost[]> {
  const machines = allMachines(lab);
  const before = await Promise.all(machines.map((m) => look(lab, m)));
  await sleep(window_ms);
  const after = await Promise.all(machines.map((m) => look(lab, m)));
  const costs: Cost[] = [];
  for (const [index, m] of machines.entries()) {
    const [first, last] = [before[index], after[index]];
    if (first === undefined || last === undefined) continue;
    const memory = await sizes(lab, m.group);
    costs.push(...costsOf({ machine: m.machine.name, before: first, after: last, memory, window_ms }));
  }
  return costs;
}

/** By the kernel's count for the whole, by processes for the parts; what no part can show is the last one's. */
export function costsOf(given: {
  readonly machine: string;
  readonly before: Look;
  readonly after: Look;
  /** PSS in MiB by program. */
  readonly memory: ReadonlyMap<string, number>;
  readonly window_ms: number;
}): readonly Cost[] {
  const { machine, before, after, memory, window_ms } = given;
  const percent = (used_ms: number): number => (used_ms * 100) / window_ms;
  const whole: Cost = {
    machine,
    name: everything,
    pss_mib: sum([...memory.values()]),
    cpu_percent: percent(after.used_ms - before.used_ms),
  };
  const known = parts.map(({ name, is }): Cost => {
    const own = ({ processes }: Look) => processes.filter((each) => is.test(each.name));
    return {
      machine,
      name,
      pss_mib: sum([...memory].filter(([program]) => is.test(program)).map(([, mib]) => mib)),
      cpu_percent: percent(usedSince_ms(own(before), own(after))),
    };
  });
  const rest = (of: "pss_mib" | "cpu_percent"): number =>
    Math.max(0, whole[of] - sum(known.map((each) => each[of])));
  const left: Cost = { machine, name: others, pss_mib: rest("pss_mib"), cpu_percent: rest("cpu_percent") };
  return [whole, ...known, left];
}

const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);

export const costTable = (costs: readonly Cost[], window_ms: number): BenchTable => ({
  title: "what a machine with a control plane costs at rest",
  columns: ["pss_mib", "cpu_percent"],
  rows: costs.map(({ machine, name, pss_mib, cpu_percent }) => ({
    name: name === everything ? `${machine}, everything` : `  of it ${name}`,
    values: { pss_mib, cpu_percent },
  })),
  notes: [
    `PSS: memory shared between processes is divided among them, so the parts add up. CPU: percent of one core, over ${window_ms / 1000} s.`,
    "What came and went: processes that ended within the window, duet's looks among them. The kernel counts them for the machine only.",
  ],
  raw: costs,
});
