import type { Life } from "./life.ts";

/** Promise chains between two effects are shorter than this. A longer one goes on after the next event, still in a fixed order. */
const hops_max = 64;
const hop = Promise.resolve();

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
    return this.answer(life, (resolve, reject) => {
      this.#clock.after(delay_us, () =>
        life.whenAwake(() => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        }),
      );
    });
  }

  sleep(life: Life, delay_us: number): Promise<void> {
    return this.effect(life, delay_us, () => undefined);
  }

  /** For parts of the world that answer by a call: `begin` gets what to call, in whatever event the answer comes. */
  answer<T>(
    life: Life,
    begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => void,
  ): Promise<T> {
    if (this.#awake > 0) this.#awake -= 1;
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
      .finally(() => {
        if (this.#awake > 0) this.#awake -= 1;
      });
  }

  async settle(): Promise<void> {
    for (let hops = 0; hops < hops_max && this.#awake > 0; hops += 1) await hop;
    this.#awake = 0;
    this.#dirty = false;
  }

  #wake(): void {
    this.#awake += 1;
    this.#dirty = true;
  }
}
