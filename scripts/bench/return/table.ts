import { type BenchTable, quantile } from "../../bench-table.ts";
import { stop_aim_ms, type Stopped } from "../failover/cases.ts";
import type { LabFacts, Outcome } from "../failover/table.ts";
import type { Which } from "./lone.ts";
import type { LoneParts } from "./parts.ts";
import type { RebootRun } from "./reboot.ts";

export interface Result<N extends string, T> {
  readonly name: N;
  readonly runs: readonly Outcome<T>[];
}

const values = <T>(runs: readonly Outcome<T>[]): readonly T[] =>
  runs.flatMap((run) => (run.ok ? [run.value] : []));
const counted = (runs: readonly Outcome<unknown>[]): string =>
  values(runs).length === runs.length ? String(runs.length) : `${values(runs).length} of ${runs.length}`;
const failures = (what: string, runs: readonly Outcome<unknown>[]): readonly string[] =>
  runs.flatMap((run, index) => (run.ok ? [] : [`Failed: ${what}, run ${index + 1}: ${run.why}`]));

/** Of a part that one run can't tell nothing is told: the others' median would look like all of them. */
function median(all: readonly (number | undefined)[]): number | string {
  const known = all.filter((each) => each !== undefined);
  return known.length === 0 || known.length < all.length ? "-" : quantile(known, 0.5);
}
const worst = (all: readonly number[]): number | string => (all.length === 0 ? "-" : Math.max(...all));

export function loneTable(
  results: readonly Result<Which, LoneParts>[],
  facts: LabFacts | undefined,
): BenchTable {
  const parts = ["boot_ms", "off_ms", "quorum_ms", "order_ms", "look_ms", "takeover_ms", "write_ms"] as const;
  return {
    title: "both lost their power and one has it back: until a write through it is acknowledged",
    columns: ["runs", "whole_ms", "worst_ms", ...parts],
    rows: results.map(({ name, runs }) => {
      const done = values(runs);
      return {
        name: `the ${name} in the race to fence`,
        values: {
          runs: counted(runs),
          whole_ms: median(done.map(({ whole_ms }) => whole_ms)),
          worst_ms: worst(done.map(({ whole_ms }) => whole_ms)),
          ...Object.fromEntries(parts.map((part) => [part, median(done.map((run) => run[part]))])),
        },
      };
    }),
    notes: [
      "boot: until the guard decides, with its patience for a peer that boots too. off: until the peer's Off is proven; the second waits for the first's turn. quorum: until it is granted. order: until Pacemaker orders etcd's start. look: until the takeover begins. takeover: until etcd is up. write: until a client has its answer. A part that is not known is in the next.",
      ...(facts === undefined ? [] : [`Turns of ${(facts.turn_ms / 1000).toFixed(1)} s.`]),
      ...results.flatMap(({ name, runs }) => failures(`lone return of the ${name}`, runs)),
    ],
    raw: results,
  };
}

export function rebootTable(results: readonly Result<Stopped, RebootRun>[]): BenchTable {
  const parts = ["leave_ms", "away_ms", "rejoin_ms"] as const;
  return {
    title: "longest time without writes in a planned reboot, as clients see it, and in each part of its way",
    columns: ["runs", "p50_ms", "worst_ms", ...parts, "before_ms", "back_s", "of_aim"],
    rows: results.map(({ name, runs }) => {
      const done = values(runs);
      const gaps = done.map(({ gap_ms }) => gap_ms);
      return {
        name,
        values: {
          runs: counted(runs),
          p50_ms: median(gaps),
          worst_ms: worst(gaps),
          ...Object.fromEntries(parts.map((part) => [part, median(done.map((run) => run[part]))])),
          before_ms: worst(done.map(({ calm_ms }) => calm_ms)),
          back_s: median(done.map(({ back_ms }) => back_ms / 1000)),
          of_aim: gaps.length === 0 ? "-" : `${(Math.max(...gaps) / stop_aim_ms).toFixed(2)}×`,
        },
      };
    }),
    notes: [
      "leave: until its etcd has stopped. away: until its etcd is up again, as a learner. rejoin: until 1+1, and 2 s more. back: how long duet reboot took.",
      `of aim: the worst against ${stop_aim_ms} ms; the aim is at most 1.00×. before: the worst in the 5 s before, which is this box's own. 500 writes a second.`,
      ...results.flatMap(({ name, runs }) => failures(`reboot of the ${name}`, runs)),
    ],
    raw: results,
  };
}
