import { now_ms, sleep } from "../../machine/clock.ts";

/** What is looked at while the guard, or the one-shot, acts on a word. */
export interface Sight {
  readonly done: boolean;
  /** The membership is another: what was said counts no more. */
  readonly changed: boolean;
  /** What the machine goes by now, for who waits. */
  readonly says: string;
  readonly rule: string;
}

export type Ending = Omit<Sight, "done" | "changed"> & { readonly how: "done" | "changed" | "not yet" };

const every_ms = 500;

/** Looks until it is done, or the membership is another, or the time is over. */
export async function waitForEnd(
  look: () => Promise<Sight>,
  wait_ms: number,
  say: (text: string) => void,
  pause: (ms: number) => Promise<void> = sleep,
): Promise<Ending> {
  const end_ms = now_ms() + wait_ms;
  for (;;) {
    const { done, changed, says, rule } = await look();
    if (done) return { how: "done", says, rule };
    if (changed) return { how: "changed", says, rule };
    if (now_ms() >= end_ms) return { how: "not yet", says, rule };
    if (rule !== "") say(`${rule}: ${says}`);
    await pause(Math.min(every_ms, Math.max(1, end_ms - now_ms())));
  }
}
