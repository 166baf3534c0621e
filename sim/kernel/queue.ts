export interface Event {
  readonly at_us: number;
  /** Events of the same moment happen in the order in which they were asked for. */
  readonly order: number;
  run: () => void;
}

const nothing = (): void => undefined;

/** What is still to happen, earliest first: a binary heap. What was cancelled leaves it when its turn comes, and is never taken. */
export class Queue {
  readonly #heap: Event[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }

  add(at_us: number, run: () => void): Event {
    const event: Event = { at_us, order: this.#order, run };
    this.#order += 1;
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !before(event, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
    return event;
  }

  /** The next one, unless it comes later than that. */
  take(until_us = Number.POSITIVE_INFINITY): Event | undefined {
    const heap = this.#heap;
    let first = heap[0];
    while (first?.run === nothing) {
      this.#pop();
      first = heap[0];
    }
    if (first === undefined || first.at_us > until_us) return undefined;
    this.#pop();
    return first;
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last !== undefined && this.#heap.length > 0) this.#sink(last);
  }

  #sink(event: Event): void {
    const heap = this.#heap;
    const size = heap.length;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      let child = heap[below];
      if (child === undefined) break;
      const other = below + 1 < size ? heap[below + 1] : undefined;
      if (other !== undefined && before(other, child)) {
        below += 1;
        child = other;
      }
      if (!before(child, event)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = event;
  }
}

/** It will not happen. */
export function cancel(event: Event | undefined): void {
  if (event !== undefined) event.run = nothing;
}

const before = (a: Event, b: Event): boolean =>
  a.at_us < b.at_us || (a.at_us === b.at_us && a.order < b.order);
