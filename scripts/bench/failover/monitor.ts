import type { Lab } from "../../../lab/folder.ts";
import { runIn } from "../../../lab/run.ts";
import { fail } from "../../../src/base/problem.ts";
import { workUnit } from "../../../src/base/paths.ts";
import { etcdOperations } from "../../../src/render/policy.ts";
import { type BenchTable, quantile } from "../../bench-table.ts";

/** Wall and processor time of one call. */
export interface Call {
  readonly wall_ms: number;
  readonly cpu_ms: number;
}

const agent = "/usr/lib/ocf/resource.d/duet/etcd";
const interval_s =
  etcdOperations.find(({ name, role }) => name === "monitor" && role === "Promoted")?.interval_s ?? 0;
/** Of a voter that is promoted: anything else would be another way through the agent. */
const promoted = 8;
const calls_ms_max = 10_000;

/**
 * On a machine, with the settings that Pacemaker gives. Each monitor wakes a look, which is a unit of its own: while this runs, bash
 * stands between it and systemd and takes its time. systemd itself counts no processor time in the lab's kind of cgroup.
 */
const script = `unit=/run/systemd/system/${workUnit}.d
looks=/run/bench-looks
trap 'rm -rf "$unit" "$looks"; systemctl daemon-reload' EXIT
mkdir -p "$unit"
: > "$looks"
cat > "$unit/bench.conf" << 'END'
[Service]
ExecStart=
ExecStart=/bin/bash -c 'TIMEFORMAT="look %%R %%U %%S"; { time /usr/local/bin/duet work 2>&3; } 3>&2 2>> /run/bench-looks'
END
systemctl daemon-reload
export OCF_ROOT=/usr/lib/ocf OCF_RESOURCE_INSTANCE=etcd OCF_RESKEY_CRM_meta_interval=${interval_s}000
TIMEFORMAT='%R %U %S'
for i in $(seq "$1"); do
  echo "nothing $({ time sh -c : ; } 2>&1)"
  status=0
  took=$({ time ${agent} monitor > /dev/null 2>&1; } 2>&1) || status=$?
  echo "monitor $took $status"
  for n in $(seq 50); do
    [ "$(grep -c look "$looks")" -lt "$i" ] || break
    sleep 0.1
  done
done
cat "$looks"`;

export interface Monitors {
  readonly nothing: readonly Call[];
  readonly monitor: readonly Call[];
  readonly look: readonly Call[];
}

export async function measureMonitors(lab: Lab, machine: string, calls: number): Promise<Monitors> {
  const { stdout } = await runIn(lab, machine, ["bash", "-c", script, "bash", String(calls)], {
    deadline_ms: calls * calls_ms_max,
  });
  return parseMonitors(stdout);
}

export function parseMonitors(text: string): Monitors {
  const found: Record<keyof Monitors, Call[]> = { nothing: [], monitor: [], look: [] };
  for (const line of text.split("\n")) {
    const [what, ...words] = line.split(" ");
    const numbers = words.map(Number);
    const [a = Number.NaN, b = Number.NaN, c = Number.NaN, status] = numbers;
    if (what !== "nothing" && what !== "monitor" && what !== "look") continue;
    if (what === "monitor" && status !== promoted)
      fail("DUET-E-PROCESS-FAILED", agent, `monitor ended with status ${status ?? "none"}`, "see its log");
    if ([a, b, c].every(Number.isFinite)) found[what].push({ wall_ms: a * 1000, cpu_ms: (b + c) * 1000 });
  }
  return found;
}

export function monitorTable({ nothing, monitor, look }: Monitors): BenchTable {
  const row = (name: string, calls: readonly Call[]) => {
    const [wall, cpu] = [calls.map((each) => each.wall_ms), calls.map((each) => each.cpu_ms)];
    const told = (value: number) => (calls.length === 0 ? "-" : value);
    return {
      name,
      values: {
        calls: String(calls.length),
        wall_p50_ms: told(quantile(wall, 0.5)),
        wall_worst_ms: told(Math.max(...wall)),
        cpu_p50_ms: told(quantile(cpu, 0.5)),
        cpu_worst_ms: told(Math.max(...cpu)),
      },
    };
  };
  const cpu_ms = quantile(
    monitor.map((each) => each.cpu_ms),
    0.5,
  );
  const look_ms =
    look.length === 0
      ? 0
      : quantile(
          look.map((each) => each.cpu_ms),
          0.5,
        );
  const share = ((cpu_ms + look_ms) / (interval_s * 1000)) * 100;
  return {
    title: "a monitor of ocf:duet:etcd on a machine that is promoted and at peace",
    columns: ["calls", "wall_p50_ms", "wall_worst_ms", "cpu_p50_ms", "cpu_worst_ms"],
    rows: [
      row("monitor", monitor),
      row("the look that it wakes", look),
      row("sh -c : (nothing at all)", nothing),
    ],
    ratio: { of: "cpu_p50_ms", to: "sh -c : (nothing at all)" },
    notes: [
      `Pacemaker asks every ${interval_s} s: with the look ${share.toFixed(2)} % of one core. Nothing waits for the look.`,
      ...(look.length === 0 ? ["No look ended meanwhile: its share is not in it."] : []),
    ],
    raw: { nothing, monitor, look },
  };
}
