import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { now_ms, sleep } from "../../src/machine/clock.ts";
import type { Side } from "./testing-side.ts";

/** How long real etcd may take until it says what the model says, on a box that others use. */
const patience_ms = 30_000;
const again_ms = 100;

/** What a world says to the steps' questions, in their order. */
export class Answers {
  readonly all: unknown[] = [];
  readonly #side: Side;
  readonly #expected: readonly unknown[] | undefined;

  /** `expected`: what the other world has said to the same questions. */
  constructor(side: Side, expected?: readonly unknown[]) {
    this.#side = side;
    this.#expected = expected;
  }

  /** Asked once: what a deed came to, and where the claim is that nothing happens. */
  note(...answers: readonly unknown[]): void {
    this.all.push(...answers);
  }

  /**
   * What comes by itself, sooner or later: where nothing is expected, when time has passed; else asked until it is as expected. Only
   * for questions that change nothing, or nothing as long as they are refused.
   */
  async until(look: () => Promise<unknown>): Promise<void> {
    if (this.#expected === undefined) {
      await this.#side.settle();
      this.all.push(await look());
      return;
    }
    const expected = this.#expected[this.all.length];
    const end_ms = now_ms() + patience_ms;
    // One that can't be asked yet says so, and that is not what is expected.
    const ask = () => look().catch(String);
    let answer = await ask();
    while (!isDeepStrictEqual(answer, expected) && now_ms() < end_ms) {
      await sleep(again_ms);
      answer = await ask();
    }
    this.all.push(answer);
    assert.deepEqual(this.all, this.#expected.slice(0, this.all.length));
  }
}
