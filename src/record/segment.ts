import type { EventBody, EventName, Told } from "./entry.ts";

/** What one machine wrote in one boot: the longest stretch in which one clock runs. Times in it are `mono_ms`. */
export interface Segment {
  readonly machine: string;
  readonly boot: string;
  readonly entries: readonly Told[];
}

/** In the order of the wall clock, which is all that is known of two boots. */
export function segmentsOf(entries: readonly Told[]): readonly Segment[] {
  const found = new Map<string, Told[]>();
  for (const entry of entries) {
    const key = `${entry.machine} ${entry.boot}`;
    const list = found.get(key);
    if (list === undefined) found.set(key, [entry]);
    else list.push(entry);
  }
  const segments: Segment[] = [];
  for (const list of found.values()) {
    // Several processes write: a line may stand behind one that was made after it.
    const sorted = list.toSorted((a, b) => a.mono_ms - b.mono_ms);
    const [first] = sorted;
    if (first !== undefined) segments.push({ machine: first.machine, boot: first.boot, entries: sorted });
  }
  return segments.toSorted((a, b) => wallAt_ms(a, firstOf(a)) - wallAt_ms(b, firstOf(b)));
}

export const firstOf = ({ entries }: Segment): number => entries[0]?.mono_ms ?? 0;
export const lastOf = ({ entries }: Segment): number => entries.at(-1)?.mono_ms ?? 0;

/** What the wall clock showed then, by the nearest entry: it may have jumped before and after. */
export function wallAt_ms({ entries }: Segment, mono_ms: number): number {
  let best: Told | undefined;
  for (const entry of entries)
    if (best === undefined || Math.abs(entry.mono_ms - mono_ms) < Math.abs(best.mono_ms - mono_ms))
      best = entry;
  return best === undefined ? 0 : Date.parse(best.at) + mono_ms - best.mono_ms;
}

/** An event, and when it was: some are told a while after. */
export interface Moment {
  readonly at_ms: number;
  readonly entry: Told<EventBody>;
}

export function moments({ entries }: Segment, ...names: readonly EventName[]): readonly Moment[] {
  const found: Moment[] = [];
  for (const entry of entries)
    if (entry.kind === "event" && names.includes(entry.event))
      found.push({ entry, at_ms: entry.mono_ms - numberIn(entry, "ago_ms", 0) });
  return found.toSorted((a, b) => a.at_ms - b.at_ms);
}

export function numberIn({ detail }: EventBody, name: string, otherwise: number): number {
  const value = detail[name];
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}
