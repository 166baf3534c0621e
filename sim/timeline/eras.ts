import type { Pass } from "./echoes.ts";
import { closer, type Lane, type Moment } from "./moment.ts";

const repeats: ReadonlySet<string> = new Set(["rule", "fence", "pacemaker"]);

/**
 * A machine decides again and again, and says the same as long as nothing changed for it. What it said is told once between two
 * changes of its power or its membership.
 */
export const onceAnEra: Pass = (moments) => {
  const told = new Map<string, number>();
  const kept: Moment[] = [];
  const counts: number[] = [];
  for (const moment of moments) {
    const { lane, sort, text } = moment;
    if (sort === "power" || sort === "membership")
      for (const key of told.keys()) if (key.startsWith(`${lane} `)) told.delete(key);
    const key = `${lane} ${text}`;
    const before = repeats.has(sort) ? told.get(key) : undefined;
    if (before !== undefined) {
      counts[before] = (counts[before] ?? 0) + 1;
      continue;
    }
    if (repeats.has(sort)) told.set(key, kept.length);
    kept.push(moment);
    counts.push(1);
  }
  return kept.map((moment, at) => {
    const times = counts[at] ?? 1;
    return times === 1 ? moment : { ...moment, more: [...(moment.more ?? []), `said ${times} times`] };
  });
};

/** Who is seen, where that changes. A machine that boots sees nobody yet: no news. */
export const membershipChanges: Pass = (moments) => {
  const seen = new Map<Lane, string>();
  return moments.flatMap((moment) => {
    const { kind, lane, text } = moment;
    if (kind === "machine") seen.delete(lane);
    if (kind !== "corosync") return [moment];
    const before = seen.get(lane);
    seen.set(lane, text);
    if (before === text) return [];
    return before === undefined && text === "sees only itself" ? [{ ...moment, level: closer }] : [moment];
  });
};

/** Of what etcd says: voters where they change, an end of leading where there was one. */
export const etcdChanges: Pass = (moments) => {
  const voters = new Map<Lane, string>();
  const leads = new Set<Lane>();
  return moments.flatMap((moment, at) => {
    const { at_us, kind, lane, text } = moment;
    if (kind === "etcd.exit") leads.delete(lane);
    if (kind === "etcd.role") {
      if (text.startsWith("etcd leads")) leads.add(lane);
      else if (leads.delete(lane)) return [{ ...moment, level: 1, text: "etcd leads no longer" }];
    }
    if (kind !== "etcd.conf") return [moment];
    // A start applies the whole log again, in one moment: only the last line says how it stands.
    const next = moments[at + 1];
    const replayed = next?.kind === kind && next.at_us === at_us && next.lane === lane;
    if (replayed || voters.get(lane) === text) return [];
    voters.set(lane, text);
    return [moment];
  });
};
