/** What clients tell of writes without success: refused, answered with an error, cut off or given up. */
interface Counted {
  readonly failed: number;
  readonly open: number;
}

/** Which writes fail because somebody was lost: those that fail from the mark on. */
export class Failures {
  readonly #told: () => Counted | undefined;
  #before = 0;

  /** `told`: undefined while nobody writes. */
  constructor(told: () => Counted | undefined) {
    this.#told = told;
  }

  /** Somebody is about to be lost. */
  mark(): void {
    this.#before = this.#count();
  }

  /** Others write from now on, and count from nothing. */
  forget(): void {
    this.#before = 0;
  }

  get any(): boolean {
    return this.#count() > this.#before;
  }

  #count(): number {
    const { failed, open } = this.#told() ?? { failed: 0, open: 0 };
    return failed + open;
  }
}
