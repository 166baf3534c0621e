import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { Verdict } from "../../decide/decide.ts";

/**
 * etcd makes each segment of its log 64 MB long, and the next one beforehand. A machine with less room would join, be full, and end
 * at one of its next writes; and with two voters the other could not write either, again and again.
 */
export const room_bytes_min = 256 << 20;

/** Free for etcd's data; undefined: nobody can tell. */
export function roomFor(path: string): number | undefined {
  try {
    // The folder itself is not there while its data is aside.
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

/** A join waits for room. Who can't tell how much there is tries. */
export function withRoom(verdict: Verdict, free_bytes: number | undefined): Verdict {
  if (free_bytes === undefined || free_bytes >= room_bytes_min) return verdict;
  const mib = (bytes: number) => Math.floor(bytes / (1 << 20));
  return {
    ...verdict,
    decision: { do: "wait" },
    sentence: `${verdict.sentence}; that waits for room: ${mib(free_bytes)} MiB are free for etcd's data, and it takes ${mib(room_bytes_min)}`,
  };
}
