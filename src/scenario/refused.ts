import type { Seen } from "./world.ts";

/** `ends`: by which code each command that an admin typed last was refused; undefined: it was taken. */
export function judgeRefused(code: string, ends: readonly (string | undefined)[]): Seen {
  if (ends.length === 0) return { ok: false, seen: "no admin has typed anything" };
  const told = ends.map((end) => (end === undefined ? "it was not refused" : `it ended with ${end}`));
  return { ok: ends.every((end) => end === code), seen: told.join(" and ") };
}
