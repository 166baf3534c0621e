import { Choices, type Schedule } from "./choices.ts";
import { type Event, Queue } from "./queue.ts";
import { Tasks } from "./tasks.ts";
import { type Cell, Trace, type TraceKind, traceKind } from "./trace.ts";

/** A rule of the world was broken: by whom is what the trace is for. */
export interface Violation {
  /** The check's name: a shrunk schedule must break the same one. */
  readonly check: string;
  readonly what: string;
  readonly at_us: number;
}

/** Promise chains between two effects are shorter than this. A longer one goes on after the next event, still in a fixed order. */
const hops_max = 64;
const hop = Promise.resolve();
const violated = traceKind("VIOLATION", (check, what) => `${check}: ${what}`);

/** One run of a world: its clock, its queue, its dice, its trace. Nothing in `sim/` takes time or chance from anywhere else. */
export class Kernel {
  readonly choices: Choices;
  readonly trace: Trace;
  readonly tasks: Tasks;
  /** Called after each event; what is broken is told to `fail`. */
  readonly afterEvent: (() => void)[] = [];
  violation: Violation | undefined;
  events = 0;
  #now_us = 0;
  #request = 0;
  readonly #queue = new Queue();

  constructor(schedule: Schedule, options: { readonly trace?: boolean } = {}) {
    this.choices = new Choices(schedule);
    this.trace = new Trace(options.trace === true);
    this.tasks = new Tasks(this);
  }

  get now_us(): number {
    return this.#now_us;
  }

  /** A number that was not given out before in this run. */
  fresh(): number {
    this.#request += 1;
    return this.#request;
  }

  after(delay_us: number, run: () => void): Event {
    return this.#queue.add(this.#now_us + delay_us, run);
  }

  /** Looks after each event until it is true, and tells that once. Gives what ends the looking. */
  once(isTrue: () => boolean, then: () => void): () => void {
    const end = () => {
      const at = this.afterEvent.indexOf(look);
      if (at >= 0) this.afterEvent.splice(at, 1);
    };
    const look = () => {
      if (!isTrue()) return;
      end();
      then();
    };
    this.afterEvent.push(look);
    return end;
  }

  note(kind: TraceKind, a: Cell = 0, b: Cell = 0, c: Cell = 0): void {
    if (this.trace.on) this.trace.note(this.#now_us, kind, a, b, c);
  }

  /** The first violation ends the run: what follows from it is noise. */
  fail(check: string, what: string): void {
    if (this.violation !== undefined) return;
    this.violation = { check, what, at_us: this.#now_us };
    this.note(violated, check, what);
  }

  /** For worlds without async code; stops at a violation, when nothing is left to do, or at that time. */
  runSync(until_us: number): void {
    while (this.#step(until_us)) {
      if (this.tasks.dirty) throw new Error("async code runs in this world: use run()");
    }
  }

  async run(until_us: number): Promise<void> {
    const { tasks } = this;
    do {
      if (tasks.dirty) {
        for (let hops = 0; hops < hops_max && tasks.awake; hops += 1) await hop;
        tasks.settled();
      }
      if (tasks.thrown.length > 0) throw tasks.thrown[0];
    } while (this.#step(until_us));
  }

  #step(until_us: number): boolean {
    if (this.violation !== undefined) return false;
    const event = this.#queue.take(until_us);
    if (event === undefined) {
      if (Number.isFinite(until_us)) this.#now_us = Math.max(this.#now_us, until_us);
      return false;
    }
    this.#now_us = event.at_us;
    this.events += 1;
    event.run();
    const { afterEvent } = this;
    for (let i = 0; i < afterEvent.length; i += 1) afterEvent[i]?.();
    return true;
  }
}
