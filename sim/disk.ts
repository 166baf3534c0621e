import type { Kernel } from "./kernel/kernel.ts";
import { label } from "./kernel/label.ts";
import { traceKind } from "./kernel/trace.ts";

/** Anything on a disk that knows which part of it is synced. */
export interface Durable {
  /** How many writes the operating system has and the disk may not have. */
  readonly unsynced: number;
  /** The power is gone: of the unsynced writes the first `kept` had reached the disk, the others never will. */
  powerCut(kept: number): void;
}

const survived = label("disk.survived");
const syncTime = label("disk.sync-time");
const slowSync = label("disk.slow-sync");
const cut = traceKind(
  "disk.power-cut",
  (machine, kept, lost) => `machine ${machine}: of the unsynced writes ${kept} are there, ${lost} are gone`,
);

export interface DiskTimes {
  readonly sync_us_min: number;
  readonly sync_us_spread: number;
  /** In a million syncs, how many take fifty times as long. */
  readonly slow_ppm: number;
}

export const diskTimes: DiskTimes = { sync_us_min: 800, sync_us_spread: 2_400, slow_ppm: 2_000 };

/**
 * One machine's disk. What was synced stays. What was only written survives the end of a process and may or may not survive a
 * power cut: any first part of it may have reached the disk, file by file.
 */
export class Disk {
  readonly machine: number;
  /** Each sync takes so much longer. */
  slower_us = 0;
  /** After an error nothing more is written to it, until the machine has been off. */
  readOnly = false;
  readonly #kernel: Kernel;
  readonly #times: DiskTimes;
  readonly #files = new Set<Durable>();

  constructor(kernel: Kernel, machine: number, times: DiskTimes = diskTimes) {
    this.#kernel = kernel;
    this.machine = machine;
    this.#times = times;
  }

  attach(file: Durable): void {
    this.#files.add(file);
  }

  detach(file: Durable): void {
    this.#files.delete(file);
  }

  cell<T>(value: T): Cell<T> {
    const made = new Cell(value);
    this.#files.add(made);
    return made;
  }

  /** How long the next sync takes. */
  sync_us(): number {
    const { sync_us_min, sync_us_spread, slow_ppm } = this.#times;
    const { choices } = this.#kernel;
    const time_us = this.slower_us + sync_us_min + choices.jitter(syncTime, sync_us_spread);
    return choices.fault(slowSync, 2, slow_ppm) > 0 ? time_us * 50 : time_us;
  }

  /** An orderly shutdown leaves nothing unsynced. */
  syncAll(): void {
    for (const file of this.#files) file.powerCut(file.unsynced);
  }

  powerCut(): void {
    let kept = 0;
    let lost = 0;
    for (const file of this.#files) {
      const { unsynced } = file;
      if (unsynced === 0) continue;
      const some = this.#kernel.choices.pick(survived, unsynced + 1);
      file.powerCut(some);
      kept += some;
      lost += unsynced - some;
    }
    if (kept + lost > 0) this.#kernel.note(cut, this.machine, kept, lost);
  }
}

/** A small file that is replaced as a whole (written beside, renamed): after a power cut it is one of its versions, never a mixture. */
export class Cell<T> implements Durable {
  #synced: { readonly value: T };
  #written: { readonly value: T }[] = [];
  /** What whoever reads it now gets. */
  #value: T;

  constructor(value: T) {
    this.#synced = { value };
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** What would be there after the worst power cut. */
  get synced(): T {
    return this.#synced.value;
  }

  get unsynced(): number {
    return this.#written.length;
  }

  /** Gives the mark to hand to `sync` once the disk's time for that is over. */
  write(value: T): number {
    this.#value = value;
    return this.#written.push({ value });
  }

  /** File and folder are synced, with all writes or those up to the mark. */
  sync(mark: number = this.#written.length): void {
    this.#synced = this.#written[mark - 1] ?? this.#synced;
    this.#written = this.#written.slice(mark);
  }

  powerCut(kept: number): void {
    this.sync(kept);
    this.#written = [];
    this.#value = this.#synced.value;
  }
}
