import type { Kernel } from "./kernel/kernel.ts";

/** An operation of a client; it stays open where nobody can tell whether it happened. */
export interface Operation {
  readonly id: number;
  readonly kind: "write" | "read";
  readonly key: number;
  readonly begun_us: number;
  /** The highest revision that any client had seen when this began. */
  readonly floor: number;
  /** The same as clients see it, over all losses that were accepted. */
  readonly shown: number;
  state: "open" | "done" | "failed";
}

/** The side that answers, as far as the check looks at it. */
export interface Served {
  /** Of one process with one store: while it stays the same, the store only grows. */
  readonly by: object;
  readonly name: string;
  readonly values: readonly number[];
  /** By so much is a revision that clients see above the number of writes. */
  readonly raised: number;
  /** The machines whose members vote there: each of them holds what is answered. */
  readonly holders: readonly number[];
}

/**
 * Linearizability, checked exactly and at once for each answer. etcd gives every write a revision, so all agree on an order; what
 * is left to check is that there is one such order and that it respects real time:
 *  1. an answer at revision R shows the side's first R writes; they must be what every earlier answer showed;
 *  2. what began after an answer was seen must be after it: a write gets a higher revision, a read at least the same;
 *  3. a read's value is that of the newest write of its key up to its revision, and a write is at its revision.
 * From 1 and 2: an acknowledged write is in everything that is ever served later, so it can't be lost while somebody serves.
 */
export class History {
  /** The order that clients have seen: the acknowledged writes and what lies between them. */
  readonly order: number[] = [];
  readonly operations: Operation[] = [];
  acknowledged = 0;
  answered = 0;
  #high = 0;
  /** The highest revision that clients were shown, which stays where what they saw is forgiven. */
  #shown = 0;
  /** Operations up to this number began before revisions could not be kept from going back. */
  #went_back = 0;
  readonly #kernel: Kernel;
  /** How far a side's store was compared with the order. */
  #compared = new WeakMap<object, number>();
  /** Operations up to this number began before the last accepted loss. */
  #given_up = 0;
  /** Up to which revision each machine was among those that made an answer possible. */
  readonly #held: number[] = [];
  /** Called when a loss was accepted: what others hold against the past ends too. */
  readonly onLoss: (() => void)[] = [];

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** The highest revision that a client has seen. */
  get high(): number {
    return this.#high;
  }

  begin(kind: Operation["kind"], key: number): Operation {
    const made: Operation = {
      id: this.operations.length + 1,
      kind,
      key,
      begun_us: this.#kernel.now_us,
      floor: this.#high,
      shown: this.#shown,
      state: "open",
    };
    this.operations.push(made);
    return made;
  }

  /**
   * An admin has accepted a loss on this machine, which acts on it: what it had a part in stays promised, and the rest of the past
   * is forgiven; all that is answered from here on counts. Undefined: the site begins anew with nothing. Without an admin's word
   * nobody may call this.
   */
  lossAccepted(machine: number | undefined): void {
    const kept = Math.min(this.order.length, machine === undefined ? 0 : (this.#held[machine] ?? 0));
    this.order.length = kept;
    this.#high = kept;
    for (const [id, held] of this.#held.entries()) this.#held[id] = Math.min(held ?? 0, kept);
    this.#compared = new WeakMap();
    this.#given_up = this.operations.length;
    // Of another cluster nobody expects anything.
    if (machine === undefined) this.revisionsGoBack();
    for (const listen of this.onLoss) listen();
  }

  /** After an accepted loss there was nothing to raise them with, or nobody could know how far. */
  revisionsGoBack(): void {
    this.#shown = 0;
    this.#went_back = this.operations.length;
  }

  /** Clients may have seen that. */
  get wentBack(): boolean {
    return this.#went_back > 0;
  }

  /** The highest revision that clients were shown. */
  get shown(): number {
    return this.#shown;
  }

  /** A new disk, or one that lost what it had: nothing can be promised of it any more. */
  diskLost(machine: number): void {
    this.#held[machine] = 0;
  }

  /** It surely did not happen. */
  failed(operation: Operation): void {
    operation.state = "failed";
  }

  /** A side answered with success. The check of this side's data is made here, since only what is served counts. */
  answer(operation: Operation, revision: number, side: Served, value: number): void {
    this.#agree(revision, side);
    const floor = operation.id > this.#given_up ? operation.floor : 0;
    const after = operation.kind === "write" ? revision > floor : revision >= floor;
    if (!after)
      this.#kernel.fail(
        "revisions never go back",
        `${side.name} answers ${operation.kind} ${operation.id} at revision ${revision}; clients had seen ${operation.floor} before it began`,
      );
    this.#show(operation, revision + side.raised, side);
    if (operation.kind === "write" && side.values[revision - 1] !== operation.id)
      this.#kernel.fail(
        "linearizable",
        `${side.name} acknowledges write ${operation.id} at revision ${revision}, which is another one`,
      );
    if (operation.kind === "read") this.#sees(operation, revision, value);
    this.#high = Math.max(this.#high, revision);
    for (const machine of side.holders) this.#held[machine] = Math.max(this.#held[machine] ?? 0, revision);
    operation.state = "done";
    this.answered += 1;
    if (operation.kind === "write") this.acknowledged += 1;
  }

  /** A loss may be accepted, and what was seen of it never be written again at the same revision. */
  #show(operation: Operation, shown: number, side: Served): void {
    const since = operation.id > Math.max(this.#given_up, this.#went_back) ? operation.shown : 0;
    if (operation.kind === "write" ? shown <= since : shown < since)
      this.#kernel.fail(
        "revisions never go back",
        `${side.name} shows revision ${shown} for ${operation.kind} ${operation.id}; clients had seen ${since} before it began`,
      );
    this.#shown = Math.max(this.#shown, shown);
  }

  #sees(operation: Operation, revision: number, value: number): void {
    let newest = 0;
    for (let at = revision - 1; at >= 0 && newest === 0; at -= 1) {
      const write = this.order[at] ?? 0;
      if (this.operations[write - 1]?.key === operation.key) newest = write;
    }
    if (newest !== value)
      this.#kernel.fail(
        "linearizable",
        `read ${operation.id} of key ${operation.key} at revision ${revision} got write ${value}; the newest was ${newest}`,
      );
  }

  #agree(revision: number, side: Served): void {
    const { order } = this;
    const from = this.#compared.get(side.by) ?? 0;
    for (let at = from; at < revision; at += 1) {
      const value = side.values[at] ?? 0;
      const fixed = order[at];
      if (fixed === undefined) order.push(value);
      else if (fixed !== value) {
        this.#kernel.fail(
          "one dataset",
          `${side.name} serves revision ${at + 1} as write ${value}; clients had seen write ${fixed} there; ` +
            `${this.missing(side.values).length} of the writes acknowledged so far are nowhere in its data`,
        );
        return;
      }
    }
    this.#compared.set(side.by, Math.max(from, revision));
  }

  /** What was acknowledged and is not in this store, by the operations' numbers: for a survivor that is looked at from outside. */
  missing(values: readonly number[]): readonly number[] {
    const there = new Uint8Array(this.operations.length + 1);
    for (const value of values) there[value] = 1;
    const found: number[] = [];
    for (let at = this.#given_up; at < this.operations.length; at += 1) {
      const operation = this.operations[at];
      if (operation?.kind === "write" && operation.state === "done" && there[operation.id] !== 1)
        found.push(operation.id);
    }
    return found;
  }
}
