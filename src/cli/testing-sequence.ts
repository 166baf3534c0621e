import type { Trace } from "../../sim/kernel/trace.ts";
import type { EventName, Told } from "../record/entry.ts";

/** What happens in a failover, as the survivor has it: by Corosync, by Pacemaker, by duet. */
export interface Happening {
  readonly at_ms: number;
  readonly what: string;
}

const of_duet: ReadonlySet<string> = new Set<EventName>([
  "off confirmed",
  "takeover begins",
  "may have served",
  "serves alone",
  "takeover ends",
  "peer powered on",
  "1+1",
]);

/** From a record of the survivor's. Words of the journals are told later than they were said. */
export function happenedBy(entries: readonly Told[], survivor: string, gone: string): readonly Happening[] {
  const found = entries.flatMap((entry): readonly Happening[] => {
    if (entry.kind !== "event" || entry.machine !== survivor) return [];
    const { ago_ms, peer, what, of } = entry.detail;
    const at_ms = entry.mono_ms - (typeof ago_ms === "number" ? ago_ms : 0);
    if (entry.event === "membership") return [{ at_ms, what: peer === true ? "together" : "apart" }];
    if (of_duet.has(entry.event)) return [{ at_ms, what: entry.event }];
    const word =
      entry.event === "pacemaker" ? wordFor(String(what), of === survivor, of === gone) : undefined;
    return word === undefined ? [] : [{ at_ms, what: word }];
  });
  return sorted(found);
}

const actions: ReadonlySet<string> = new Set(["start", "promote", "demote", "stop"]);

/** Notifications count where the survivor gets them, actions and fences where they are done to the other. */
function wordFor(what: string, onSurvivor: boolean, onGone: boolean): string | undefined {
  if (/^(pre|post)-/.test(what)) return onSurvivor ? `Pacemaker: ${what}` : undefined;
  if (!onGone) return undefined;
  if (what === "off asked" || what === "off done") return `Pacemaker: ${what}`;
  return actions.has(what) ? `Pacemaker: ${what} there` : undefined;
}

/** The same from the simulator: its trace, and the record that duet kept in there. */
export function happenedInSim(
  trace: Trace,
  record: { readonly lines: readonly string[]; readonly truth_ms: readonly number[] },
  survivor: 0 | 1,
  from_ms: number,
): readonly Happening[] {
  const found: Happening[] = [];
  for (const { at_us, kind, cells } of trace.notes()) {
    const [machine, second, third] = cells;
    const at_ms = at_us / 1000;
    const add = (what: string | undefined) => what !== undefined && found.push({ at_ms, what });
    if (kind === "corosync" && machine === survivor)
      add(String(second).includes("and") ? "together" : "apart");
    if (kind === "pacemaker.fence" && machine === survivor)
      add(
        third === "begins"
          ? "Pacemaker: off asked"
          : third === "off is confirmed"
            ? "Pacemaker: off done"
            : undefined,
      );
    if (kind === "pacemaker.action") {
      const notify = /^notify (\S+) of/.exec(String(second))?.[1];
      add(wordFor(notify ?? String(second), machine === survivor, machine !== survivor));
    }
  }
  for (const [index, line] of record.lines.entries()) {
    const event = /"kind":"event","event":"([^"]+)"/.exec(line)?.[1];
    const at_ms = record.truth_ms[index];
    if (event !== undefined && at_ms !== undefined && of_duet.has(event)) found.push({ at_ms, what: event });
  }
  return sorted(found).filter(({ at_ms }) => at_ms >= from_ms);
}

const sorted = (found: readonly Happening[]): readonly Happening[] =>
  found.toSorted((a, b) => a.at_ms - b.at_ms);

/** When each first happened. */
export function firsts(happened: readonly Happening[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { at_ms, what } of happened) if (!found.has(what)) found.set(what, at_ms);
  return found;
}

export interface Model {
  /** In every run. */
  readonly always: ReadonlySet<string>;
  /** In some run. */
  readonly ever: ReadonlySet<string>;
  /** In every run the first came before the second. */
  readonly before: readonly (readonly [string, string])[];
}

/** What several runs of one story have in common. */
export function modelOf(runs: readonly ReadonlyMap<string, number>[]): Model {
  const ever = new Set(runs.flatMap((run) => [...run.keys()]));
  const always = new Set([...ever].filter((what) => runs.every((run) => run.has(what))));
  const before = [...always].flatMap((a) =>
    [...always]
      .filter((b) => a !== b && runs.every((run) => (run.get(a) ?? 0) < (run.get(b) ?? 0)))
      .map((b) => [a, b] as const),
  );
  return { always, ever, before };
}

/** What of a record the model does not allow, one sentence each. */
export function differences(model: Model, happened: ReadonlyMap<string, number>): readonly string[] {
  const found: string[] = [];
  for (const what of model.always)
    if (!happened.has(what)) found.push(`${what}: always in the model, not recorded`);
  for (const what of happened.keys())
    if (!model.ever.has(what)) found.push(`${what}: recorded, never in the model`);
  for (const [a, b] of model.before) {
    const [first, second] = [happened.get(a), happened.get(b)];
    if (first !== undefined && second !== undefined && first > second)
      found.push(`${b} before ${a}: recorded, never in the model`);
  }
  return found;
}
