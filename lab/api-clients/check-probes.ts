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

/** A time without an acknowledged write that is longer than this is no move of the address, and is asked what it was for those who called. */
const outage_ms_min = 15_000;

/**
 * Each probe has an end within its bound, an answer or an error, if its machine lived for so long: `lived` says that. And each machine
 * has answered at times, or its silence would have been no news: also what was asked in each longer time without an acknowledged write. A
 * refused connection is an end, and of an API server that is dead all that time each call ends so.
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

/** Which API servers answered nothing of what they were asked in that time. */
function unanswered(
  outage: Outage,
  asked: readonly Ask[],
  told: ReadonlyMap<string, Told>,
  bounds: Bounds,
): readonly { readonly machine: string; readonly says: string }[] {
  const took = `${((outage.to_ms - outage.from_ms) / 1000).toFixed(0)} s`;
  return probed.flatMap((what) => {
    const bound_ms = bounds[what];
    if (bound_ms === undefined) return [];
    return [...new Set(asked.map(({ machine }) => machine))]
      .toSorted()
      .filter((machine) => {
        const calls = asked
          .filter((ask) => ask.machine === machine && ask.what === what)
          .map(({ id, at_ms }) => ({ at_ms, end: told.get(id) }));
        return isDumb(calls, outage, bound_ms);
      })
      .map((machine) => ({
        machine,
        says: `in ${took} without an acknowledged write ${machine}'s API server answered no ${what}, not even with an error`,
      }));
  });
}

interface Call {
  readonly at_ms: number;
  readonly end: Told | undefined;
}

/**
 * Where each call has to end within the outage, one of them has. In a shorter one a call that is held and answered later is as good, and one that is
 * still under way may be. An API server that was not there before, as one that starts, has its whole bound.
 */
function isDumb(calls: readonly Call[], { from_ms, to_ms }: Outage, bound_ms: number): boolean {
  const answered = ({ end }: Call): boolean => end?.status !== undefined;
  const took_ms = to_ms - from_ms;
  const endedIn = ({ end }: Call): boolean => end !== undefined && end.at_ms >= from_ms && end.at_ms <= to_ms;
  if (took_ms > bound_ms + spare_ms) return !calls.some((call) => answered(call) && endedIn(call));
  if (took_ms <= outage_ms_min) return false;
  const before = calls.filter(({ end }) => end !== undefined && end.at_ms <= from_ms);
  const last = before.toSorted((a, b) => (a.end?.at_ms ?? 0) - (b.end?.at_ms ?? 0)).at(-1);
  if (last === undefined || !answered(last)) return false;
  const begun = calls.filter(({ at_ms }) => at_ms >= from_ms && at_ms <= to_ms);
  return begun.every((call) => call.end !== undefined && !answered(call));
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
