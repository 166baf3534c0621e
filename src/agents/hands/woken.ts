import { sleep } from "../../machine/clock.ts";
import type { Notes } from "./notes.ts";

type Waking = Pick<Notes, "has" | "until">;

const look_again_ms = 200;

/**
 * What is asked for; or undefined as soon as the peer is lost. A peer that hangs lets whoever asks it, or asks an etcd that needs it, wait until
 * the deadline, and the look that is for its loss waits behind this one. So once somebody is woken, the membership says whether there
 * is still anybody to wait for. What was asked for goes on then, and nobody hears it.
 */
export async function whileHere<T>(
  notes: Waking,
  asked: Promise<T>,
  isHere: () => Promise<boolean>,
  within_ms: number,
): Promise<T | undefined> {
  const over = new AbortController();
  const ended = asked.finally(() => over.abort());
  const gone = async (): Promise<T | undefined> => {
    await notes.until(() => notes.has("wake"), within_ms, over.signal);
    while (!over.signal.aborted && notes.has("wake") && (await isHere())) await sleep(look_again_ms);
    // It has ended; or nobody came, and it has a deadline of its own.
    return over.signal.aborted || !notes.has("wake") ? await ended : undefined;
  };
  return await Promise.race([ended, gone()]);
}
