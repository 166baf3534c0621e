import type { Effects } from "../../act/effects.ts";
import { sleep } from "../../machine/clock.ts";
import { isLoneDeed } from "./lone-deeds.ts";

/** A peer that boots at the same time is given so long. */
const patience_ms = 15_000;
const again_ms = 10_000;

export interface Guard {
  readonly effects: Pick<Effects, "facts" | "decide">;
  /** Pacemaker has started duet's resource here: from now on the agent speaks for itself. */
  readonly isStarted: () => boolean;
  /** For the console and the journal. */
  readonly say: (line: string) => void;
  readonly pause?: (ms: number) => Promise<void>;
}

/**
 * A machine that booted without its peer runs nothing, and nothing of Pacemaker's says why. This does, until its resource is
 * started. It changes nothing.
 */
export async function sayWhyInert({ effects, isStarted, say, pause = sleep }: Guard): Promise<void> {
  let last = "";
  for (let pause_ms = patience_ms; ; pause_ms = again_ms) {
    await pause(pause_ms);
    if (isStarted()) return;
    const facts = await effects.facts();
    if (facts.peer.seen === "now" && !facts.fencePending) continue;
    const { rule, sentence, decision } = effects.decide("start", facts);
    const waits = `${facts.me} runs nothing and waits for ${facts.peerName}`;
    const line = isLoneDeed(decision.do)
      ? `${waits}: to start alone is not done by this version of duet`
      : `${waits}. ${rule}: ${sentence}`;
    if (line !== last) say(line);
    last = line;
  }
}
