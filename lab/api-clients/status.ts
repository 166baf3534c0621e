import * as v from "valibot";
import type { Entry } from "./history.ts";

/** What the API's clients say of themselves. Times are milliseconds since the epoch. */
const status = v.object({
  now_ms: v.number(),
  acknowledged: v.number(),
  failed: v.number(),
  open: v.number(),
  in_flight: v.number(),
  /** The last acknowledged write. */
  last_ms: v.number(),
  /** The longest time between two of them, and when it ended. */
  gap_ms: v.number(),
  gap_end_ms: v.number(),
  /** The longest call, whatever its end. */
  longest_ms: v.number(),
  /** Watches that ended and were begun again. */
  resumed: v.number(),
});
export type ApiStatus = v.InferOutput<typeof status>;
export const readApiStatus = (line: string): ApiStatus =>
  v.parse(v.pipe(v.string(), v.parseJson(), status), line);

/** The same from the history, entry by entry. */
export class Figures {
  readonly #begun = new Map<string, number>();
  readonly #counts = { ok: 0, failed: 0, open: 0 };
  #last_ms = 0;
  #gap = { gap_ms: 0, gap_end_ms: 0 };
  #longest_ms = 0;
  #resumed = 0;

  note(entry: Entry): void {
    if (entry.kind === "call") this.#begun.set(entry.name, entry.at_ms);
    else if (entry.kind === "resumed") this.#resumed += 1;
    else if (entry.kind === "answer") {
      const { name, at_ms, outcome } = entry;
      this.#longest_ms = Math.max(this.#longest_ms, at_ms - (this.#begun.get(name) ?? at_ms));
      this.#begun.delete(name);
      this.#counts[outcome] += 1;
      if (outcome === "ok") this.#acknowledged(at_ms);
    }
  }

  #acknowledged(at_ms: number): void {
    const gap_ms = this.#last_ms === 0 ? 0 : at_ms - this.#last_ms;
    if (gap_ms > this.#gap.gap_ms) this.#gap = { gap_ms, gap_end_ms: at_ms };
    this.#last_ms = at_ms;
  }

  status(now_ms: number): ApiStatus {
    const { ok, failed, open } = this.#counts;
    return {
      now_ms,
      acknowledged: ok,
      failed,
      open,
      in_flight: this.#begun.size,
      last_ms: this.#last_ms,
      ...this.#gap,
      longest_ms: this.#longest_ms,
      resumed: this.#resumed,
    };
  }
}
