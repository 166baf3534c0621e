import { isLoss } from "./roles.ts";
import type { Ask } from "./scenario.ts";
import type { Seen } from "./world.ts";

/** What is asked of the world, and how what it saw is told. */
interface Bound {
  readonly ask: Ask;
  readonly tell: (seen: Seen, now_ms: number) => Seen;
}

/**
 * When the last loss was seen. That somebody serves again in a given time, or that the API answers, is promised from then on: what other
 * steps have taken since is part of that time.
 */
export class Detection {
  #lost_ms = 0;
  #seen_ms: number | undefined;

  /** A step was done, from then to now. */
  note(kind: Ask["kind"], { ok, ago_ms = 0 }: Seen, from_ms: number, now_ms: number): void {
    if (isLoss(kind)) {
      this.#lost_ms = from_ms;
      this.#seen_ms = undefined;
    }
    // One that was away before has to be taken away to be lost.
    if (kind === "until-lost" && ok) this.#seen_ms = Math.max(this.#lost_ms, now_ms - ago_ms);
  }

  /** The step with what is left of its limit. */
  bound(ask: Ask, now_ms: number): Bound {
    const seen_ms = this.#seen_ms;
    const isPromised = ask.kind === "until-serves" || ask.kind === "until-api";
    if (!isPromised || !ask.limited || seen_ms === undefined) return { ask, tell: (seen) => seen };
    const limit_s = ask.within_ms / 1000;
    return {
      ask: { ...ask, within_ms: Math.max(0, ask.within_ms - (now_ms - seen_ms)) },
      tell: (seen, then_ms) => ({
        ...seen,
        seen: seen.ok
          ? `${((then_ms - seen_ms) / 1000).toFixed(1)} s after the loss was seen`
          : `${seen.seen}; its ${limit_s} s count from when the loss was seen`,
      }),
    };
  }
}
