import { few } from "./few.ts";
import type { Entry } from "./history.ts";
import { probe_ms_max, type Probed, probed } from "./probed.ts";

/** Times within which each machine that lives has to have answered, by what was asked for. */
export type Bounds = Readonly<Partial<Record<Probed, number>>>;

export interface ProbeVerdict {
  readonly problems: readonly string[];
  /** The longest that a machine took that lived all that time. */
  readonly longest_ms: Readonly<Record<Probed, number>>;
}

type Ask = Extract<Entry, { kind: "ask" }>;
type Told = Extract<Entry, { kind: "told" }>;

/** So many probes are asked behind the first one: one of them has an answer, however busy the host is. */
const spare_ms = 10_000;

/**
 * Each probe has an end within its bound, an answer or an error, if its machine lived for so long: `lived` says that. And each machine
 * has answered at times, or its silence would have been no news: also in each time without an acknowledged write that is long enough for
 * an answer. A refused connection is an end, and of an API server that is dead all that time each call ends so.
 */
export function judgeProbes(
  entries: readonly Entry[],
  bounds: Bounds,
  lived: (machine: string, from_ms: number, to_ms: number) => boolean,
  now_ms: number,
): ProbeVerdict {
  const asked = entries.filter((entry) => entry.kind === "ask");
  const told = new Map(entries.flatMap((each) => (each.kind === "told" ? [[each.id, each]] : [])));
  const longest_ms: Record<Probed, number> = { write: 0, read: 0 };
  const problems: string[] = [];
  for (const ask of asked) {
    const { what, machine, at_ms } = ask;
    const end = told.get(ask.id);
    const took_ms = (end?.at_ms ?? now_ms) - at_ms;
    const bound_ms = bounds[what] ?? probe_ms_max;
    // Who lost its power while it was asked owes no answer.
    if (took_ms > bound_ms && !lived(machine, at_ms, at_ms + bound_ms)) continue;
    longest_ms[what] = Math.max(longest_ms[what], took_ms);
    if (bounds[what] !== undefined && took_ms > bound_ms) problems.push(late(ask, end, took_ms));
  }
  const dumb = outages(entries, now_ms).flatMap((outage) =>
    unanswered(outage, asked, told, bounds).filter(({ machine }) =>
      lived(machine, outage.from_ms, outage.to_ms),
    ),
  );
  return {
    problems: [...few(problems), ...few(dumb.map(({ says }) => says)), ...unheard(asked, told, bounds)],
    longest_ms,
  };
}

interface Outage {
  readonly from_ms: number;
  readonly to_ms: number;
}

/** Between two acknowledged writes; behind the last one as long as the clients go on. */
function outages(entries: readonly Entry[], now_ms: number): readonly Outage[] {
  const acknowledged = entries
    .flatMap((each) => (each.kind === "answer" && each.outcome === "ok" ? [each.at_ms] : []))
    .toSorted((a, b) => a - b);
  const ends = entries.some(({ kind }) => kind === "end") ? acknowledged : [...acknowledged, now_ms];
  return acknowledged.flatMap((from_ms, index) => {
    const to_ms = ends[index + 1];
    return to_ms === undefined ? [] : [{ from_ms, to_ms }];
  });
}

/** What no API server answered in that time, though each call of it has to end by then. */
function unanswered(
  { from_ms, to_ms }: Outage,
  asked: readonly Ask[],
  told: ReadonlyMap<string, Told>,
  bounds: Bounds,
): readonly { readonly machine: string; readonly says: string }[] {
  const kinds = probed.filter(
    (what) => to_ms - from_ms > (bounds[what] ?? Number.POSITIVE_INFINITY) + spare_ms,
  );
  if (kinds.length === 0) return [];
  const within = asked.filter(({ id }) => {
    const end = told.get(id);
    return end?.status !== undefined && end.at_ms >= from_ms && end.at_ms <= to_ms;
  });
  const took = `${((to_ms - from_ms) / 1000).toFixed(0)} s`;
  return kinds.flatMap((what) =>
    [...new Set(asked.map(({ machine }) => machine))]
      .toSorted()
      .filter((machine) => !within.some((ask) => ask.machine === machine && ask.what === what))
      .map((machine) => ({
        machine,
        says: `in ${took} without an acknowledged write ${machine}'s API server answered no ${what}, not even with an error`,
      })),
  );
}

const late = ({ what, machine, at_ms }: Ask, end: Told | undefined, took_ms: number): string => {
  const at = new Date(at_ms).toISOString().slice(11, 23);
  const took = `${(took_ms / 1000).toFixed(1)} s`;
  const asked = `${machine}'s API server was asked for a ${what} at ${at}`;
  if (end === undefined) return `${asked} and said nothing for ${took}`;
  const status = end.status === undefined ? [] : [`status ${end.status}`];
  return `${asked} and said after ${took}: ${[...status, ...(end.said === undefined ? [] : [end.said])].join(" ")}`;
};

function unheard(asked: readonly Ask[], told: ReadonlyMap<string, Told>, bounds: Bounds): readonly string[] {
  const machines = [...new Set(asked.map(({ machine }) => machine))].toSorted();
  const kinds = probed.filter((what) => bounds[what] !== undefined);
  if (machines.length < 2 && kinds.length > 0) return ["the API servers of the two machines were not asked"];
  return kinds.flatMap((what) => [
    ...((bounds[what] ?? 0) < probe_ms_max ? [] : [`nobody waits for a ${what} that long`]),
    ...machines.flatMap((name) =>
      asked.some((ask) => ask.machine === name && ask.what === what && told.get(ask.id)?.status !== undefined)
        ? []
        : [`${name}'s API server never answered a ${what}`],
    ),
  ]);
}
