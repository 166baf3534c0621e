import type { Notes } from "../hands/notes.ts";

export interface EndedStop {
  readonly notes: Pick<Notes, "has" | "drop">;
  /** No process of etcd's, and none on its way. */
  readonly isDown: () => Promise<boolean>;
  /** Why only a fence would tell the peer that etcd has ended here. */
  readonly hindrance: () => Promise<string | undefined>;
  readonly forget: () => Promise<void>;
}

/**
 * A stop that failed, of an etcd that has ended since, as when its disk lets go: Pacemaker may forget it. It starts nothing on the peer
 * before this machine is fenced, and a peer with nothing to serve never fences; so each would wait for the other.
 */
export async function forgetEndedStop({ notes, isDown, hindrance, forget }: EndedStop): Promise<void> {
  if (!notes.has("stop-failed") || !(await isDown())) return;
  notes.drop("held");
  if ((await hindrance()) !== undefined) return;
  notes.drop("stop-failed");
  await forget();
}
