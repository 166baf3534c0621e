import type { Life } from "./life.ts";

interface Clock {
  after(delay_us: number, run: () => void): unknown;
}

/**
 * Runs async functions on the virtual clock. The only things they may wait for are the promises made here, which resolve in an
 * event of the queue; between two events the driver lets the microtasks run dry. So their order is fixed by the queue's.
 */
export class Tasks {
  readonly #clock: Clock;
  /** Async functions that were woken and have not asked for their next effect yet. */
  #awake = 0;
  #dirty = false;
  /** A task that threw: a mistake in the code that runs in the world, or in the world. */
  readonly thrown: unknown[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something was woken: the driver has to let the microtasks run before the next event. */
  get dirty(): boolean {
    return this.#dirty;
  }

  /** Does the work after a while and hands back what it gave. If the life ends before, the work is not done and nobody hears. */
  effect<T>(life: Life, delay_us: number, work: () => T): Promise<T> {
    this.#asleep();
    return new Promise((resolve, reject) => {
      if (!life.alive) return;
      const run = () => {
        try {
          const value = work();
          // The work may have ended or frozen the very life that waits for it.
          life.whenAwake(() => {
            this.#wake();
            resolve(value);
          });
        } catch (error) {
          this.#wake();
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#clock.after(delay_us, () => life.whenAwake(run));
    });
  }

  sleep(life: Life, delay_us: number): Promise<void> {
    this.#asleep();
    return new Promise((resolve) => {
      if (!life.alive) return;
      const run = () => {
        this.#wake();
        resolve();
      };
      this.#clock.after(delay_us, () => life.whenAwake(run));
    });
  }

  /** Reads what the machine itself knows: takes no time that matters, so that the event of the next effect is enough. */
  look<T>(life: Life, work: () => T): Promise<T> {
    if (!life.awake) return this.effect(life, 0, work);
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Several at once; each is begun here, so that it is known how many of them are awake. */
  all<T extends readonly unknown[]>(begin: { readonly [K in keyof T]: () => Promise<T[K]> }): Promise<T>;
  all(begin: readonly (() => Promise<unknown>)[]): Promise<readonly unknown[]> {
    if (begin.length === 0) return Promise.resolve([]);
    this.#awake += begin.length - 1;
    let left = begin.length;
    const values: unknown[] = begin.map(() => undefined);
    return new Promise((resolve, reject) => {
      const ended = (at: number, value: unknown) => {
        values[at] = value;
        left -= 1;
        // The last one goes on with whoever waits for all.
        if (left === 0) resolve(values);
        else this.#asleep();
      };
      for (let at = 0; at < begin.length; at += 1) begin[at]?.().then((value) => ended(at, value), reject);
    });
  }

  /** For parts of the world that answer by a call: `begin` gets what to call, in whatever event the answer comes. */
  answer<T>(
    life: Life,
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> {
    this.#asleep();
    return new Promise<T>((resolve, reject) => {
      if (!life.alive) return;
      begin(
        (value) =>
          life.whenAwake(() => {
            this.#wake();
            resolve(value);
          }),
        (error) =>
          life.whenAwake(() => {
            this.#wake();
            reject(error instanceof Error ? error : new Error(String(error)));
          }),
      );
    });
  }

  /** Starts an async function and forgets it. */
  start(work: () => Promise<void>): void {
    this.#wake();
    work()
      .catch((error: unknown) => {
        this.thrown.push(error);
      })
      .finally(() => this.#asleep());
  }

  /** Some of what was woken may not have come to its next effect yet: the driver lets the microtasks go on. */
  get awake(): boolean {
    return this.#awake > 0;
  }

  settled(): void {
    this.#awake = 0;
    this.#dirty = false;
  }

  #asleep(): void {
    if (this.#awake > 0) this.#awake -= 1;
  }

  #wake(): void {
    this.#awake += 1;
    this.#dirty = true;
  }
}
