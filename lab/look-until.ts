import { now_ms, sleep } from "../src/machine/clock.ts";

export interface LookTimes {
  readonly within_ms: number;
  readonly pause_ms: number;
}

/** `took_ms`: from the first look's begin to the end of the one that saw it; undefined: none did. */
export interface Looked {
  readonly inTime: boolean;
  readonly took_ms: number | undefined;
}

/**
 * Looks again and again. A look may itself take long (a call that hangs in an outage, and is answered after it), and what it saw may
 * have become so at its very end: so it counts by the moment at which it ended, and not by that at which it began.
 */
export async function lookUntil(
  look: () => Promise<boolean>,
  { within_ms, pause_ms }: LookTimes,
  clock: { readonly now_ms: () => number; readonly sleep: (ms: number) => Promise<void> } = { now_ms, sleep },
): Promise<Looked> {
  const begun_ms = clock.now_ms();
  for (;;) {
    const seen = await look();
    const took_ms = clock.now_ms() - begun_ms;
    if (seen) return { inTime: took_ms <= within_ms, took_ms };
    if (took_ms >= within_ms) return { inTime: false, took_ms: undefined };
    await clock.sleep(pause_ms);
  }
}
