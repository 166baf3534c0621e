/**
 * How long something in memory lives: a machine from power-on to power-off, a process, one action of Pacemaker. What waits in the
 * name of an ended life waits for ever. A child ends with its parent. A frozen life does nothing until it is thawed, and then
 * what came meanwhile, in order.
 */
export class Life {
  readonly #parent: Life | undefined;
  #ended = false;
  #frozen = false;
  #held: (() => void)[] = [];

  constructor(parent?: Life) {
    this.#parent = parent;
  }

  get alive(): boolean {
    return !this.#ended && (this.#parent === undefined || this.#parent.alive);
  }

  /** It can do something right now. */
  get awake(): boolean {
    return this.alive && this.#frozenOne() === undefined;
  }

  end(): void {
    this.#ended = true;
  }

  freeze(): void {
    this.#frozen = true;
  }

  thaw(): void {
    this.#frozen = false;
    const held = this.#held;
    this.#held = [];
    for (const run of held) this.whenAwake(run);
  }

  /** Now, or when it is thawed; never once it has ended. */
  whenAwake(run: () => void): void {
    if (!this.alive) return;
    const frozen = this.#frozenOne();
    if (frozen === undefined) run();
    else frozen.#held.push(() => this.whenAwake(run));
  }

  #frozenOne(): Life | undefined {
    if (this.#frozen) return this;
    return this.#parent === undefined ? undefined : this.#parent.#frozenOne();
  }
}
