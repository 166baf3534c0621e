import { type BenchRow, type BenchTable, quantile } from "../../bench-table.ts";
import {
  type BmcName,
  bmcs,
  type LossCase,
  type Rival,
  rival_aim,
  rivals,
  rivalStops,
  stop_aim_ms,
  type Stopped,
  takeover_aim_ms,
} from "./cases.ts";
import type { Parts } from "./parts.ts";
import { survivorsTold } from "./survivor.ts";

/** What came of one run; a failed one is told with its reason, and counted. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string };

export interface LossResult {
  readonly bmc: BmcName;
  readonly loss: LossCase;
  readonly runs: readonly Outcome<LossRun>[];
}

export interface LossRun extends Parts {
  readonly survivor: string;
  /** The survivor's place in the race to fence when it began; 0 goes first. */
  readonly turn: number | undefined;
  /** What it had to wait for that place, by what was stored and not by what it waited; undefined: it is not known. */
  readonly delay_ms: number | undefined;
}

/** What the lab told of itself before anything was lost in it. */
export interface LabFacts {
  readonly bmc: BmcName;
  readonly turn_ms: number;
  readonly offs_ms: readonly number[];
  readonly token_ms: number;
  readonly consensus_ms: number;
}

const parts = ["whole_ms", "detect_ms", "turn_ms", "off_ms", "takeover_ms"] as const;

export const values = <T>(runs: readonly Outcome<T>[]): readonly T[] =>
  runs.flatMap((run) => (run.ok ? [run.value] : []));
export const failures = (name: string, runs: readonly Outcome<unknown>[]): readonly string[] =>
  runs.flatMap((run, index) => (run.ok ? [] : [`Failed: ${name}, run ${index + 1}: ${run.why}`]));
export const counted = (runs: readonly Outcome<unknown>[]): string =>
  values(runs).length === runs.length ? String(runs.length) : `${values(runs).length} of ${runs.length}`;
export const times = (ratio: number | undefined): string =>
  ratio === undefined || !Number.isFinite(ratio) ? "-" : `${ratio.toFixed(2)}×`;
const defined = (all: readonly (number | undefined)[]): readonly number[] =>
  all.filter((each) => each !== undefined);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

interface Summary {
  readonly median: number | undefined;
  readonly worst: number | undefined;
}

export function summary(all: readonly (number | undefined)[]): Summary {
  const known = defined(all);
  // A part that one run can't tell is told for none: the others' median would look like all of them.
  if (known.length < all.length || known.length === 0) return { median: undefined, worst: undefined };
  return { median: quantile(known, 0.5), worst: Math.max(...known) };
}

/**
 * How long it was against detection and Off of the same run, the delay that was stored for the survivor, and what may be added. What else
 * the way to the command takes is no part of the aim. Where the command is not known Off is not known either, or too long.
 */
export function againstAim(
  { whole_ms, detect_ms, turn_ms, delay_ms, off_ms }: Omit<LossRun, "takeover_ms" | "survivor" | "turn">,
  more_ms: number,
): number | undefined {
  if (detect_ms === undefined || turn_ms === undefined || off_ms === undefined || delay_ms === undefined)
    return undefined;
  return whole_ms / (detect_ms + delay_ms + off_ms + more_ms);
}

export const ofAim = (run: LossRun): number | undefined => againstAim(run, takeover_aim_ms);

function against(
  { median, worst }: Summary,
  rival: Rival | undefined,
): Readonly<Record<keyof Summary, string>> {
  const ratio = (mine: number | undefined, theirs: number | undefined) =>
    times(mine === undefined || theirs === undefined ? undefined : mine / theirs);
  return { median: ratio(median, rival?.mean_ms), worst: ratio(worst, rival?.worst_ms) };
}

function lossRows({ bmc, loss, runs }: LossResult): readonly BenchRow[] {
  const done = values(runs);
  const byPart = parts.map((part) => [part, summary(done.map((run) => run[part]))] as const);
  const aim = summary(done.map(ofAim));
  const rival = against(summary(done.map(({ whole_ms }) => whole_ms)), rivals[bmc][loss.lost]);
  const row = (which: keyof Summary) => ({
    ...Object.fromEntries(byPart.map(([part, each]) => [part, each[which] ?? "-"])),
    of_aim: times(aim[which]),
    of_rival: rival[which],
  });
  return [
    { name: `${bmc} BMC: ${loss.name}`, values: { runs: counted(runs), ...row("median") } },
    ...(done.length > 1 ? [{ name: "  worst", values: { runs: "", ...row("worst") } }] : []),
  ];
}

export const delayNote =
  "The delay is the survivor's turn where it is the second and the lost machine hangs, and else 0: the rest of turn counts against the aim.";

export function lossTable(results: readonly LossResult[], labs: readonly LabFacts[]): BenchTable {
  return {
    title:
      "time without writes when a machine or the wire is lost, with 128 writes in flight; the median, and the worst of each part",
    columns: ["runs", ...parts, "of_aim", "of_rival"],
    rows: results.flatMap(lossRows),
    notes: [
      "whole: between two acknowledged writes. detect: until the membership without the peer. turn: until Off is commanded.",
      "off: until Off was read and noted. takeover: until a client's write was acknowledged.",
      "survivor first, second: in the race to fence. The second waits for the first's turn to pass, unless the lost machine reads Off.",
      `of aim: against detect and off of the same run, the delay, and ${seconds(takeover_aim_ms)}; the aim is at most 1.00×. ${delayNote}`,
      `of rival: the median against the mean, the worst against the worst of podman-etcd 4.18.0, measured in our lab, rival's step; the aim is at most ${rival_aim.toFixed(2)}×. Its machines hung (the BMC read On): hang is the row to compare. "-": the rival was not measured there.`,
      ...results.flatMap(({ bmc, loss, runs }) => wireNote(`${bmc} BMC: ${loss.name}`, loss, runs)),
      ...labs.map(labNote),
      ...results.flatMap(({ bmc, loss, runs }) => failures(`${bmc} BMC: ${loss.name}`, runs)),
    ],
    raw: results,
  };
}

/** Each of the two may win that race: who it was is not in the row's name. */
export function wireNote(
  name: string,
  { lost }: LossCase,
  runs: readonly Outcome<Pick<LossRun, "survivor">>[],
): readonly string[] {
  const survivors = values(runs).map(({ survivor }) => survivor);
  return lost === "wire" && survivors.length > 0
    ? [`${name}: survived by ${survivorsTold(survivors)}; the preferred machine led.`]
    : [];
}

function labNote({ bmc, turn_ms, offs_ms, token_ms, consensus_ms }: LabFacts): string {
  const { off_ms, on_ms } = bmcs[bmc];
  const offs = offs_ms.map(seconds).join(" and ");
  return `${bmc} BMC: ${seconds(off_ms)} to off, ${seconds(on_ms)} to on. Measured by duet setup --fence-test: Off after ${offs}, so turns of ${seconds(turn_ms)}. Token ${token_ms} ms, consensus ${consensus_ms} ms.`;
}

export interface StopRun {
  /** The longest. */
  readonly gap_ms: number;
  /** When it began, since the stop was asked for. */
  readonly after_ms: number;
  /** The longest in the seconds before: what this box does by itself. */
  readonly calm_ms: number;
}

export interface StopResult {
  readonly stopped: Stopped;
  readonly runs: readonly Outcome<StopRun>[];
}

export function stopTable(results: readonly StopResult[]): BenchTable {
  return {
    title: "longest time without writes when a machine is stopped in good order, as clients see it",
    columns: ["runs", "p50_ms", "worst_ms", "before_ms", "of_aim", "of_rival"],
    rows: results.map(({ stopped, runs }) => {
      const done = values(runs);
      const gap = summary(done.map(({ gap_ms }) => gap_ms));
      return {
        name: stopped,
        values: {
          runs: counted(runs),
          p50_ms: gap.median ?? "-",
          worst_ms: gap.worst ?? "-",
          before_ms: summary(done.map(({ calm_ms }) => calm_ms)).worst ?? "-",
          of_aim: times(gap.worst === undefined ? undefined : gap.worst / stop_aim_ms),
          of_rival: against(gap, rivalStops[stopped]).median,
        },
      };
    }),
    notes: [
      `of aim: the worst against ${stop_aim_ms} ms; the aim is at most 1.00×. of rival: the median against its mean; the aim is at most ${rival_aim.toFixed(2)}×.`,
      "before: the worst in the 5 s before the stop, which is this box's own. 500 writes a second, evenly: 128 in flight would make gaps of their own.",
      ...results.flatMap(({ stopped, runs }) => failures(`planned stop of the ${stopped}`, runs)),
    ],
    raw: results,
  };
}

export interface RejoinRun {
  /** As etcd counts it. */
  readonly data_mb: number;
  /** Since etcd's start on the machine that came back. */
  readonly caught_up_ms: number | undefined;
  readonly full_ms: number;
}

export interface RejoinResult {
  readonly name: string;
  readonly runs: readonly Outcome<RejoinRun>[];
}

export function rejoinTable(results: readonly RejoinResult[]): BenchTable {
  return {
    title: "rejoin: from the start of etcd as a learner until it is full, with no clients",
    columns: ["runs", "data_mb", "caught_up_ms", "full_ms", "worst_ms", "rate_mbps"],
    rows: results.map(({ name, runs }) => {
      const done = values(runs);
      const [data, caught, full] = [
        summary(done.map(({ data_mb }) => data_mb)),
        summary(done.map(({ caught_up_ms }) => caught_up_ms)),
        summary(done.map(({ full_ms }) => full_ms)),
      ];
      return {
        name,
        values: {
          runs: counted(runs),
          data_mb: data.median ?? "-",
          caught_up_ms: caught.median ?? "-",
          full_ms: full.median ?? "-",
          worst_ms: full.worst ?? "-",
          rate_mbps:
            data.median === undefined || full.median === undefined ? "-" : (data.median / full.median) * 1000,
        },
      };
    }),
    notes: results.flatMap(({ name, runs }) => failures(`rejoin of ${name}`, runs)),
    raw: results,
  };
}
