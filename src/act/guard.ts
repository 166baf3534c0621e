import type { Verdict } from "../decide/decide.ts";
import type { Effects } from "./effects.ts";
import { loneStart } from "./lone-start.ts";
import type { FenceFailed } from "./own-fence.ts";
import { type End, runSteps } from "./steps.ts";
import type { Times } from "./times.ts";

export interface GuardLook {
  readonly quorate: boolean;
  /** How this machine would start now, or why it does not. */
  readonly verdict: Verdict;
  /** How the lone start ended; undefined where there is nothing to ask quorum for. */
  readonly end: End | undefined;
}

/**
 * One look of the guard, at a machine on which Pacemaker has started nothing. Undefined: the peer is here and well, and nothing is
 * to be guarded. Without quorum the machine starts alone if the rules allow it. With quorum Pacemaker waits for a fence, and
 * nobody else says what that waits for.
 */
export async function guardLook(
  effects: Effects,
  times: Times,
  log: (step: string) => void,
  fenceFailed?: FenceFailed,
): Promise<GuardLook | undefined> {
  const quorate = await effects.quorum.status();
  const facts = await effects.facts();
  if (facts.peer.seen === "now" && !facts.fencePending) return undefined;
  const verdict = effects.decide("start", facts);
  // Who can't tell whether there is quorum grants none.
  const hasQuorum = !quorate.ok || quorate.value;
  const end = hasQuorum ? undefined : await runSteps(loneStart(effects, times, fenceFailed), log);
  return { quorate: quorate.ok && quorate.value, verdict, end };
}
