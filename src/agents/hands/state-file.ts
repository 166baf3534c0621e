import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { type DiskEffects, done, failed, type Outcome, success } from "../../act/effects.ts";
import { decodeState, encodeState, state_empty, writeState } from "../../facts/state.ts";
import { readIfThere, syncFolder } from "../../machine/files.ts";
import { run } from "../../machine/process.ts";
import { lockOf } from "../../machine/lock.ts";
import { withReserve } from "../../machine/reserve.ts";
import { failureOf } from "./outcome.ts";

/** flock(1) answers with this where somebody else has the lock. */
const status_held = 75;
const lock_ms = 5_000;

/**
 * Duet's file beside the data. Several programs of duet's write it, and each decides by what it has read: so a write holds a
 * lock, and is taken only if the file still is what this process read last.
 */
export function stateFile(path: string): Pick<DiskEffects, "readState" | "setStateAside" | "writeState"> {
  let seen: { readonly text: string | undefined } | undefined;
  return {
    readState: async () => {
      try {
        const text = await readIfThere(path);
        const state = text === undefined ? state_empty : decodeState(text, path);
        seen = { text };
        // No file: of a machine without data nothing is to be said. With data, nobody knows whose it is. Both have no lineage.
        return success(state);
      } catch (error) {
        return failureOf(error);
      }
    },
    setStateAside: () =>
      locked(path, async () => {
        await rename(path, `${path}.torn-${new Date().toISOString()}`);
        await syncFolder(dirname(path));
        seen = undefined;
        return done;
      }),
    writeState: (state) =>
      locked(path, async () => {
        const text = await readIfThere(path);
        if (seen !== undefined && seen.text !== text)
          return failed("changed", "another program of duet's has written its file");
        await withReserve(path, () => writeState(path, state));
        seen = { text: encodeState(state) };
        return done;
      }),
  };
}

/** Work on the file that nobody else may do at the same time. */
async function locked(path: string, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    await using lock = await open(lockOf(path), "a", 0o600);
    if (!(await isLocked(lock.fd))) return failed("changed", "another program of duet's writes its file");
    return await work();
  } catch (error) {
    return failureOf(error);
  }
}

/** The lock is the open file's and not flock's: it lasts until this process closes the file, or ends in any way. */
async function isLocked(fd: number): Promise<boolean> {
  const flock = [
    "flock",
    "--exclusive",
    "--nonblock",
    "--conflict-exit-code",
    String(status_held),
    "3",
  ] as const;
  const { status } = await run(flock, { inherit: [fd], accept: [0, status_held], deadline_ms: lock_ms });
  return status === 0;
}
