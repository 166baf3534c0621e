import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errnoOf, exists, replaceSynced, syncFolder } from "./files.ts";

/** Enough for a few small files, and for what the file system wants beside them. */
const reserve_bytes = 1 << 20;

/**
 * Room that is given free when a file of duet's finds none: on a full disk a machine could not even write that it gives its data up,
 * and its peer would wait for that for ever.
 */
export const reserveFor = (file: string): string => join(dirname(file), "reserve");

/** Beside files that have to be written whatever happens. Not zeros: a file system that compresses would keep nothing free for them. */
export async function keepReserve(file: string): Promise<void> {
  const reserve = reserveFor(file);
  if (!(await exists(reserve))) await replaceSynced(reserve, randomBytes(reserve_bytes), 0o600);
}

/** Does it, with the reserve given free where there is no room. */
export async function withReserve<T>(file: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const reserve = reserveFor(file);
    if (errnoOf(error) !== "ENOSPC" || !(await exists(reserve))) throw error;
    await rm(reserve, { force: true });
    await syncFolder(dirname(reserve));
    return await write();
  }
}
