import type { BenchRow, BenchTable } from "../../bench-table.ts";
import type { Lost } from "../failover/cases.ts";
import { counted, failures, type Outcome, summary, values } from "../failover/table.ts";
import { type Cost, everything } from "./cost.ts";
import type { ApiRun } from "./loss.ts";
import type { RebootRun } from "./reboot.ts";
import { clients, type Pressure } from "./pressure.ts";
import type { ApiResult } from "./table.ts";

/** How etcd's leader goes: its power is cut, it is frozen, or it reboots in good order. And the power of one that follows. */
export const ways = ["cut", "hang", "reboot", "follower_cut"] as const;
export type Way = (typeof ways)[number];
export const wayName = (way: Way): string => way.replace("_", " ");

/** So many machines with a control plane, and what they cost and bear. */
export interface Setting {
  readonly name: string;
  readonly machines: number;
  readonly pressures: readonly Outcome<Pressure>[];
  /** Milliseconds without the API. A way that is not here was not tried. */
  readonly outages: Readonly<Partial<Record<Way, readonly Outcome<number>[]>>>;
  /** Of each cut of the leader: milliseconds from Off until a pod in the place of one of its own was ready. None where nobody fences. */
  readonly replaced: readonly (number | undefined)[];
  /** Undefined where it was not looked at. */
  readonly rest: Outcome<readonly Cost[]> | undefined;
  /** What stands beside its outages, for who reads them. */
  readonly note?: string;
}

/** duet's two, of what the other tables have. Their failed runs are told there. */
export function duetSetting(
  results: readonly ApiResult[],
  reboots: readonly Outcome<RebootRun>[],
  pressures: readonly Outcome<Pressure>[],
  rest: Outcome<readonly Cost[]> | undefined,
): Setting {
  const last = (lost: Lost, way: Way) =>
    results.findLast(({ loss }) => loss.lost === lost && loss.way === way);
  const [cut, hang, follower] = [last("leader", "cut"), last("leader", "hang"), last("follower", "cut")];
  const gaps = (runs: readonly Outcome<ApiRun>[] = []) =>
    values(runs).map(({ whole_ms }) => ({ ok: true, value: whole_ms }) as const);
  return {
    name: "two machines, duet at 1+1",
    machines: 2,
    pressures,
    outages: {
      cut: gaps(cut?.runs),
      hang: gaps(hang?.runs),
      reboot: values(reboots).map(({ gap_ms }) => ({ ok: true, value: gap_ms })),
      follower_cut: gaps(follower?.runs),
    },
    replaced: values(cut?.runs ?? []).map(({ replaced_ms }) => replaced_ms),
    rest,
    ...(hang === undefined ? {} : { note: `hang is: ${hang.loss.name}` }),
  };
}

const pressed = ["writes_per_s", "p50_ms", "p99_ms", "cpu_per_write_ms"] as const;

function rows({ name, pressures, outages, replaced, rest }: Setting): readonly BenchRow[] {
  const done = values(pressures);
  const row = (which: "median" | "worst") => ({
    ...Object.fromEntries(
      pressed.map((column) => {
        const all = done.map((each) => each[column]);
        // Of a rate the worst is the lowest.
        const lowest = which === "worst" && column === "writes_per_s" && all.length > 0;
        return [column, (lowest ? Math.min(...all) : summary(all)[which]) ?? "-"];
      }),
    ),
    ...Object.fromEntries(
      ways.map((way) => [`${way}_ms`, summary(values(outages[way] ?? []))[which] ?? "-"]),
    ),
    replaced_ms: summary(replaced)[which] ?? "-",
  });
  const runs_max = Math.max(pressures.length, ...ways.map((way) => outages[way]?.length ?? 0));
  return [
    { name, values: { runs: counted(pressures), ...row("median"), ...atRest(rest) } },
    ...(runs_max > 1 ? [{ name: "  worst", values: { runs: "", ...row("worst") } }] : []),
  ];
}

/** Of one machine: the mean of all. */
function atRest(rest: Setting["rest"]): Readonly<Record<string, number | string>> {
  const whole = rest?.ok === true ? rest.value.filter(({ name }) => name === everything) : [];
  const mean = (of: "pss_mib" | "cpu_percent") =>
    whole.length === 0 ? "-" : whole.reduce((sum, each) => sum + each[of], 0) / whole.length;
  return { rest_mib: mean("pss_mib"), rest_percent: mean("cpu_percent") };
}

/** How long things are looked at. */
export interface Windows {
  /** What a machine does after its start is over by then. */
  readonly settle_ms: number;
  readonly rest_ms: number;
  readonly press_ms: number;
}

export const twoTable = (settings: readonly Setting[], { press_ms, rest_ms }: Windows): BenchTable => ({
  title: "what two machines cost: API writes, the API's outage when a machine is lost, a machine at rest",
  columns: ["runs", ...pressed, ...ways.map((way) => `${way}_ms`), "replaced_ms", "rest_mib", "rest_percent"],
  rows: settings.toSorted((a, b) => a.machines - b.machines).flatMap(rows),
  notes: [
    `writes: ConfigMaps of 1 kB that ${clients} clients create over ${press_ms / 1000} s, each after the answer to its last, at the API server beside etcd's leader, not by the virtual IP. p50, p99: of one write. cpu per write: of all machines together.`,
    "cut, hang, reboot: the longest time without an acknowledged write when the leader loses its power, freezes, or reboots in good order. follower_cut: when another one loses its power.",
    "duet's are by the virtual IP, which is on the machine that goes, as above. Three plain machines': at the API server of a machine that stays; no virtual IP and no load balancer moves there, and what that takes is not in it.",
    "One plain machine: until it writes again itself, with its power back at once. One that hangs stays so, and of two plain ones neither goes on without the other: '-'.",
    "replaced: from Off until a pod in place of one of the leader's was ready. Plain machines: '-', for nobody knows there that a machine is off. Kubernetes waits until its node is silent for most of a minute, and five minutes more (tolerationSeconds: 300) before it replaces a pod.",
    `rest: of one machine, all of it, without clients, over ${rest_ms / 1000} s.`,
    "Plain machines are the lab's own, with the same image, programs, settings, kubelet, CRI-O and pods as duet's, and etcd as a unit of systemd: no Corosync, Pacemaker, duet, fencing. Every machine of every row has its own ext4 image on the same disk of this box.",
    "All machines of a row and its clients share this box's processors and its disk: three machines of their own would write faster, and so would two.",
    ...settings.flatMap(({ name, pressures, outages, rest, note }) => [
      ...(note === undefined ? [] : [`${name}: ${note}.`]),
      ...failures(`writes, ${name}`, pressures),
      ...ways.flatMap((way) => failures(`${wayName(way)}, ${name}`, outages[way] ?? [])),
      ...(rest === undefined || rest.ok ? [] : [`Failed: at rest, ${name}: ${rest.why}`]),
      ...refused(name, values(pressures)),
    ]),
  ],
  raw: settings,
});

/** Machines of which nothing could be measured, for this reason: a row of its own all the same. */
export const failedSetting = (
  name: string,
  machines: number,
  failed: Extract<Outcome<never>, { readonly ok: false }>,
): Setting => ({ name, machines, pressures: [failed], outages: {}, replaced: [], rest: undefined });

/** Calls that were answered with anything but success are no writes, and are told. */
function refused(name: string, pressures: readonly Pressure[]): readonly string[] {
  const failed = pressures.reduce((sum, each) => sum + each.failed, 0);
  return failed === 0 ? [] : [`${name}: ${failed} calls failed and are not counted.`];
}
