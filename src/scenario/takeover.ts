import { type MachineName, machine_names } from "./slots.ts";
import type { Seen } from "./world.ts";

/** Which history a machine's data belongs to: each takeover begins a new epoch, of its own. */
interface Lineage {
  readonly epoch: number;
  readonly owner: string;
}

/** What each machine holds; one that can't be asked holds nothing that is known. */
export type Held = Readonly<Record<MachineName, Lineage | undefined>>;

/** Where they differ, the one with the lower epoch is still to join the other. */
export const newestOf = (held: Held): Lineage | undefined =>
  machine_names
    .flatMap((name) => held[name] ?? [])
    .toSorted((a, b) => b.epoch - a.epoch)
    .at(0);

/** `before`: what the pair held when the story began. */
export function judgeNoTakeover(before: Lineage | undefined, now: Held): Seen {
  if (before === undefined) return { ok: false, seen: "nobody knows which epoch it was before" };
  const other = machine_names.filter(
    (name) => now[name]?.epoch !== before.epoch || now[name]?.owner !== before.owner,
  );
  const was = `it was ${written(before)}`;
  if (other.length === 0) return { ok: true, seen: `${was}, and still is` };
  const told = other.map((name) => {
    const held = now[name];
    return held === undefined ? `${name} tells of none` : `${name} holds ${written(held)}`;
  });
  return { ok: false, seen: `${told.join(", ")}; ${was}` };
}

const written = ({ epoch, owner }: Lineage): string => `epoch ${epoch} of ${owner}`;
