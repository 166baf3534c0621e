import { sleep } from "../../machine/clock.ts";
import type { Notes } from "./notes.ts";

type Waking = Pick<Notes, "has" | "until">;

const look_again_ms = 200;

/** What is asked for; or undefined as soon as somebody wants this machine to look. What was asked for goes on, and nobody hears it. */
export async function unlessWoken<T>(
  notes: Waking,
  asked: Promise<T>,
  within_ms: number,
): Promise<T | undefined> {
  const over = new AbortController();
  const woken = async (): Promise<undefined> => {
    await notes.until(() => notes.has("wake"), within_ms, over.signal);
    // Nobody came: what was asked for has a deadline of its own.
    if (!notes.has("wake")) await asked.catch(() => undefined);
  };
  try {
    return await Promise.race([asked, woken()]);
  } finally {
    over.abort();
  }
}

/**
 * Whether a peer that is a member serves. One that hangs lets whoever asks wait until the deadline, and the look that is for its loss
 * waits behind this one: once somebody is woken, the membership says whether there is still anybody to wait for.
 */
export async function servesWhileHere(
  notes: Waking,
  serves: Promise<boolean>,
  isHere: () => Promise<boolean>,
  within_ms: number,
): Promise<boolean> {
  const over = new AbortController();
  const ended = serves.finally(() => over.abort());
  const gone = async (): Promise<boolean> => {
    await unlessWoken(notes, ended, within_ms);
    while (!over.signal.aborted && (await isHere())) await sleep(look_again_ms);
    return over.signal.aborted ? await ended : false;
  };
  return await Promise.race([ended, gone()]);
}
