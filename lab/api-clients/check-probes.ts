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

/**
 * Each probe has an end within its bound, an answer or an error, if its machine lived for so long: `lived` says that. And each machine
 * has answered at times, or its silence would have been no news.
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
  return { problems: [...few(problems), ...unheard(asked, told, bounds)], longest_ms };
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
