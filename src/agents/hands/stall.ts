import type { Facts } from "../../decide/facts.ts";
import type { Notes } from "./notes.ts";

/** Longer than a disk is slow that still works. */
const stalled_ms = 30_000;
const read_ms = 5_000;

/**
 * etcd's raft waits for its disk. One whose disk hangs still answers, and says for ever what it knew when it began to wait: that there
 * is a leader. A healthy one that can't commit says after a second that there is none. So where etcd names a leader and lets no
 * linearizable read through for so long, it stands still, and counts as one that does not run.
 */
export const isStalled = (notes: Pick<Notes, "tries">): boolean => {
  const { count, ago_ms } = notes.tries("unread");
  return count > 0 && ago_ms >= stalled_ms;
};

/**
 * Reads once where both machines are here: alone, another start would change nothing. Only where nobody waits for this machine; `read` is
 * undefined where the peer was lost before it has ended.
 */
export async function watchReads(
  { etcd, peer }: Pick<Facts, "etcd" | "peer">,
  notes: Pick<Notes, "tries" | "count" | "forget">,
  read: (deadline_ms: number) => Promise<boolean | undefined>,
): Promise<void> {
  // Known to stand still, it does so until it is started again.
  if (!etcd.running) return;
  const counts = etcd.leader && peer.seen === "now";
  const answered = counts ? await read(read_ms) : true;
  if (answered === undefined) return;
  if (answered) notes.forget("unread");
  // It is the first time that says how long.
  else if (notes.tries("unread").count === 0) notes.count("unread");
}
