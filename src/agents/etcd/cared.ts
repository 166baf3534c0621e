import type { Notes } from "../hands/notes.ts";

/** So long a restart in place, a takeover or a join may take, with room; an etcd that is down for longer is not "just being seen to". */
const down_ms_max = 60_000;

export interface Caring {
  readonly notes: Pick<Notes, "since_ms" | "forget">;
  /** etcd's port is open. */
  readonly listens: () => Promise<boolean>;
  /** The one-shot is at work. With the peer here and no etcd it nearly always is: it looks again and again, also where it may start nothing. */
  readonly works: () => Promise<boolean>;
}

/** Whether etcd runs, or is down since a moment ago and somebody is seeing to it. That somebody is busy is no word of how etcd is. */
export async function isCaredFor({ notes, listens, works }: Caring): Promise<boolean> {
  if (await listens()) {
    notes.forget("down");
    return true;
  }
  return notes.since_ms("down") < down_ms_max && (await works());
}
