import type { BenchRow, BenchTable } from "../../bench-table.ts";
import type { LossCase, Stopped } from "../failover/cases.ts";
import {
  againstAim,
  counted,
  delayNote,
  failures,
  type Outcome,
  summary,
  times,
  values,
  wireNote,
} from "../failover/table.ts";
import type { ApiRun } from "./loss.ts";
import type { RebootRun } from "./reboot.ts";

/** What may be added to detection, the delay and Off: the way to the command, etcd's takeover, the API server. */
export const api_aim_ms = 3_000;

export interface ApiResult {
  readonly loss: LossCase;
  readonly runs: readonly Outcome<ApiRun>[];
}

const columns = [
  "whole_ms",
  "detect_ms",
  "turn_ms",
  "off_ms",
  "etcd_ms",
  "api_ms",
  "address_ms",
  "replaced_ms",
] as const;

export const ofApiAim = (run: ApiRun): number | undefined => againstAim(run, api_aim_ms);

function rows({ loss, runs }: ApiResult): readonly BenchRow[] {
  const done = values(runs);
  const row = (which: "median" | "worst") => ({
    ...Object.fromEntries(columns.map((part) => [part, summary(done.map((run) => run[part]))[which] ?? "-"])),
    of_aim: times(summary(done.map(ofApiAim))[which]),
  });
  return [
    { name: loss.name, values: { runs: counted(runs), ...row("median") } },
    ...(done.length > 1 ? [{ name: "  worst", values: { runs: "", ...row("worst") } }] : []),
  ];
}

export const apiTable = (results: readonly ApiResult[]): BenchTable => ({
  title:
    "time without the Kubernetes API, as a client of its virtual IP sees it; the median, and the worst of each part",
  columns: ["runs", ...columns, "of_aim"],
  rows: results.flatMap(rows),
  notes: [
    "whole: between two acknowledged writes. detect: until the membership without the peer. turn: until Off is commanded.",
    "off: until Off was read and noted. etcd: until it served alone. api: until a write through the virtual IP was acknowledged.",
    'address: from Off until it was on the survivor, beside the others. It was on the machine that was to go; "-" where in one run that one survived.',
    "replaced: from Off until a pod in place of one of the dead machine's was ready.",
    `of aim: whole against detect and off of the same run, the delay, and ${api_aim_ms / 1000} s; the aim is at most 1.00×. ${delayNote}`,
    ...results.flatMap(({ loss, runs }) => wireNote(loss.name, loss, runs)),
    ...results.flatMap(({ loss, runs }) => failures(loss.name, runs)),
  ],
  raw: results,
});

export interface RebootResult {
  readonly which: Stopped;
  readonly runs: readonly Outcome<RebootRun>[];
}

const rebootParts = ["leave_ms", "away_ms", "rejoin_ms"] as const;

export const rebootTable = (results: readonly RebootResult[]): BenchTable => ({
  title:
    "longest time without an API write when a machine reboots in good order, and in each part of its way",
  columns: ["runs", "p50_ms", "worst_ms", ...rebootParts, "before_ms"],
  rows: results.map(({ which, runs }) => {
    const done = values(runs);
    const gap = summary(done.map(({ gap_ms }) => gap_ms));
    return {
      name: which,
      values: {
        runs: counted(runs),
        p50_ms: gap.median ?? "-",
        worst_ms: gap.worst ?? "-",
        ...Object.fromEntries(
          rebootParts.map((part) => [part, summary(done.map((run) => run[part])).median ?? "-"]),
        ),
        before_ms: summary(done.map(({ calm_ms }) => calm_ms)).worst ?? "-",
      },
    };
  }),
  notes: [
    "leave: until its etcd has stopped. away: until its etcd is up again, as a learner. rejoin: until both nodes are Ready, and 2 s more. The median of the longest in each.",
    "before: the worst in the 5 s before the reboot, which is this box's own.",
    ...results.flatMap(({ which, runs }) => failures(`planned reboot of the ${which}`, runs)),
  ],
  raw: results,
});
