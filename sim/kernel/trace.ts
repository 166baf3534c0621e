/** How a kind of trace line reads. */
export interface TraceKind {
  readonly name: string;
  readonly format: (a: Cell, b: Cell, c: Cell) => string;
}
export type Cell = number | string;

/** One line, for those who want to read it in their own way. */
export interface Note {
  readonly at_us: number;
  readonly kind: string;
  readonly cells: readonly [Cell, Cell, Cell];
  readonly text: string;
}

const width = 5;

export function traceKind(name: string, format: TraceKind["format"]): TraceKind {
  return { name, format };
}

/** What happened, as numbers; sentences are made when somebody asks. Off in mass runs: the same schedule can be run again with it on. */
export class Trace {
  readonly on: boolean;
  readonly #lines_max: number;
  readonly #kinds: TraceKind[] = [];
  readonly #cells: Cell[] = [];
  #left_out = 0;

  constructor(on: boolean, lines_max = 200_000) {
    this.on = on;
    this.#lines_max = lines_max;
  }

  note(at_us: number, kind: TraceKind, a: Cell = 0, b: Cell = 0, c: Cell = 0): void {
    if (!this.on) return;
    if (this.#cells.length >= this.#lines_max * width) {
      this.#left_out += 1;
      return;
    }
    let number = this.#kinds.indexOf(kind);
    if (number < 0) number = this.#kinds.push(kind) - 1;
    this.#cells.push(at_us, number, a, b, c);
  }

  get length(): number {
    return this.#cells.length / width;
  }

  /** How many lines were not kept. */
  get left_out(): number {
    return this.#left_out;
  }

  *notes(): Generator<Note> {
    for (let at = 0; at < this.#cells.length; at += width) {
      const [at_us = 0, number = 0, a = 0, b = 0, c = 0] = this.#cells.slice(at, at + width);
      const kind = this.#kinds[Number(number)];
      if (kind === undefined) continue;
      yield { at_us: Number(at_us), kind: kind.name, cells: [a, b, c], text: kind.format(a, b, c) };
    }
  }

  /** Lines with their time in seconds; all, or those of kinds whose name begins with one of these. */
  *lines(...prefixes: readonly string[]): Generator<string> {
    for (const { at_us, kind, text } of this.notes()) {
      if (prefixes.length > 0 && !prefixes.some((prefix) => kind.startsWith(prefix))) continue;
      yield `${(at_us / 1e6).toFixed(6).padStart(11)}  ${kind.padEnd(18)} ${text}`;
    }
    if (this.#left_out > 0) yield `(${this.#left_out} more lines were not kept)`;
  }
}
