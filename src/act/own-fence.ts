import type { Effects } from "./effects.ts";
import type { Steps } from "./steps.ts";

/** Told why it failed. */
export type FenceFailed = (why: string) => void;

/**
 * The steps of a fence that Pacemaker did not ask for, so that nobody else tells how it ended. That Off was read is seen from what is
 * done; a failure is told from here.
 */
export const ownFence = (effects: Effects, steps: Steps, failed: FenceFailed | undefined): Steps =>
  failed === undefined ? steps : tellingFailure(effects, steps, failed);

/** Only while the peer is lost: one that is back needs no fence. */
async function* tellingFailure({ quorum }: Effects, steps: Steps, failed: FenceFailed): Steps {
  const end = yield* steps;
  if (end.done) return end;
  const loss = await quorum.loss();
  if (loss.ok && loss.value !== undefined) failed(end.why);
  return end;
}
