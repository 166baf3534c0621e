import { type MachineName, machine_names } from "./slots.ts";
import type { Seen } from "./world.ts";

/**
 * Each machine's id in etcd's cluster. One that left, or was put in anew, has another: what it costs is a full copy, and to clients and to
 * the epoch it does not show.
 */
export type MemberIds = Readonly<Record<MachineName, string | undefined>>;

/** Something to compare with: both are there. */
export const isPair = (ids: MemberIds): boolean => machine_names.every((name) => ids[name] !== undefined);

/** `before`: as they were when the pair was first whole. */
export function judgeSameMembers(before: MemberIds | undefined, now: MemberIds): Seen {
  if (before === undefined || !isPair(before))
    return { ok: false, seen: "nobody knows which members they were before" };
  const other = machine_names.filter((name) => now[name] !== before[name]);
  if (other.length === 0) return { ok: true, seen: machine_names.map((name) => before[name]).join(" and ") };
  return {
    ok: false,
    seen: other
      .map((name) => `${name} is ${now[name] ?? "no member"} and was ${before[name] ?? "none"}`)
      .join(", "),
  };
}
