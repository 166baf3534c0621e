import type { Note, Notes } from "../hands/notes.ts";

export interface EndedStop {
  readonly notes: Pick<Notes, "has" | "drop">;
  /** etcd has ended since; or it has a leader, and runs as if nobody had stopped it: the stop was killed before it came to that. */
  readonly isOver: () => Promise<boolean>;
  /** Why only a fence would tell the peer that etcd has ended here. */
  readonly hindrance: () => Promise<string | undefined>;
  readonly forget: () => Promise<unknown>;
}

/**
 * A stop that failed, of an etcd that nothing holds any more, as when its disk lets go: Pacemaker may forget it, and stop it again where
 * it is to be stopped. It starts nothing on the peer before this machine is fenced, and a peer with nothing to serve never fences; so
 * each would wait for the other.
 */
export async function forgetEndedStop({ notes, isOver, hindrance, forget }: EndedStop): Promise<void> {
  if (!notes.has("stop-failed") || !(await isOver())) return;
  notes.drop("held");
  if ((await hindrance()) !== undefined) return;
  await forget();
  notes.drop("stop-failed");
}

/**
 * A stop that overran its time was killed by Pacemaker, as where the machine hung meanwhile: its own note still stands, which would keep
 * the one-shot from all work, and nobody noted the failure. For whoever knows that no stop runs now.
 */
export function noteKilledStop(notes: {
  readonly has: (note: Note) => boolean;
  readonly set: (note: Note) => void;
  readonly drop: (note: Note) => void;
}): void {
  if (!notes.has("leaving")) return;
  notes.set("stop-failed");
  notes.drop("leaving");
}

/** Waits for the end of a stop that runs. Pacemaker asks nothing of a machine whose stop failed: only this finds one that was killed. */
export async function awaitStop(
  notes: Pick<Notes, "has" | "set" | "drop" | "until">,
  timeout_ms: number,
): Promise<void> {
  await notes.until(() => !notes.has("leaving"), timeout_ms);
  noteKilledStop(notes);
}
