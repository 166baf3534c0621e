import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import type { End } from "../../act/steps.ts";
import { paths } from "../../base/paths.ts";
import { unfinishedShape } from "./report.ts";

type Unfinished = v.InferOutput<typeof unfinishedShape>;

const why_max = 500;
/** What is not tried again for so long was overtaken by something else: the slowest is tried each minute. */
export const unfinished_ms = 150_000;
/** As the guard does: longer than a BMC takes to restart. */
const call_ms = 300_000;

/**
 * What was decided and could not be done, and since when: a small file under /run, so gone with the boot. The sentence of a decision
 * says what is to come; this says why it does not come.
 */
export class UnfinishedNote {
  readonly #folder: string;
  readonly #path: string;
  readonly #now_ms: () => number;

  constructor(folder: string = paths.run, now_ms: () => number = Date.now) {
    this.#folder = folder;
    this.#path = join(folder, "unfinished");
    this.#now_ms = now_ms;
  }

  /**
   * Never a failure for who works: what can't be noted is not shown. `call`: it has been so for minutes; gives whether a person was called, which is
   * done once.
   */
  note(end: End, call: (why: string) => boolean = () => false): void {
    try {
      if (end.done) return rmSync(this.#path, { force: true });
      const at_ms = this.#now_ms();
      const last = this.read();
      const before = last !== null && at_ms - last.at_ms < unfinished_ms && at_ms >= last.at_ms ? last : null;
      const why = end.why.slice(0, why_max);
      const since_ms = before?.since_ms ?? at_ms;
      const isLong = at_ms - since_ms >= call_ms;
      const kept: Unfinished = {
        why,
        since_ms,
        at_ms,
        tries: (before?.tries ?? 0) + 1,
        called: before?.called === true || (isLong && call(why)),
      };
      // Not recursive: that never ends where a folder can't be made.
      if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
      writeFileSync(`${this.#path}.tmp`, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
      renameSync(`${this.#path}.tmp`, this.#path);
    } catch {
      // The journal and the recorder have it too.
    }
  }

  read(): Unfinished | null {
    try {
      const text = readFileSync(this.#path, "utf8");
      const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), unfinishedShape), text);
      return parsed.success ? parsed.output : null;
    } catch {
      return null;
    }
  }
}
