import { servedBy } from "../clients.ts";
import type { Operation } from "../history.ts";
import { label } from "../kernel/label.ts";
import { traceKind } from "../kernel/trace.ts";
import type { Member } from "../raft/member.ts";
import type { Answer } from "../raft/requests.ts";
import type { World } from "../world.ts";

const second_us = 1_000_000;
/** Between two steps a trickle is enough: what matters is what is in flight when something happens. */
const trickle_per_s = 30;
const burst_writes = 128;
const open_max = 512;
const keys = 8;
/** Every so many operations one is a read. */
const reads_every = 4;
/** A client that hears nothing tries elsewhere; what it asked for stays open. */
const patience_us = 8 * second_us;

const beat = label("scenario.beat");
const which = label("scenario.key");
const writeLine = traceKind(
  "client.write",
  (id, machine, revision) => `write ${id} acknowledged by machine ${machine} at revision ${revision}`,
);

interface Write {
  readonly begun_us: number;
  readonly member: Member;
  ended_us: number | undefined;
}

export type Fate = "acknowledged" | "failed" | "no answer";

/** The scenario's clients: a trickle on both machines, and 128 writes in flight whenever a step does something. */
export class Load {
  /** Operations of these clients; what is in the history besides them are duet's own markers. */
  readonly own = new Set<number>();
  /** When writes were acknowledged. */
  readonly acknowledged_us: number[] = [];
  failures = 0;
  /** By machine: writes that its etcd answered with an error. */
  readonly errors = [0, 0];
  gap_us_max = 0;
  /** The highest revision that one of them was answered with. */
  shown = 0;
  /** Told when they begin. */
  readonly onStart: (() => void)[] = [];
  readonly #world: World;
  readonly #writes: Write[] = [];
  #per_s = 0;
  #open = 0;
  #count = 0;
  #last_us = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get running(): boolean {
    return this.#per_s > 0;
  }

  start(per_s = trickle_per_s): void {
    const begin = !this.running;
    this.#per_s = per_s;
    this.#last_us = this.#world.kernel.now_us;
    this.gap_us_max = 0;
    if (begin) this.#beat();
    for (const listen of this.onStart) listen();
  }

  stop(): void {
    this.#measureGap();
    this.#per_s = 0;
  }

  /** Many at once, on both sides. */
  burst(): void {
    if (!this.running) return;
    for (let i = 0; i < burst_writes; i += 1) this.#one("write");
  }

  /** The longest time between two acknowledged writes, up to now or to their end. */
  gap_us(): number {
    if (this.running) this.#measureGap();
    return this.gap_us_max;
  }

  /** The longest that a write took, or takes. Where its etcd died, or stands still, it is the time until then: nobody is there to answer. */
  longest_us(): number {
    const { now_us } = this.#world.kernel;
    let longest_us = 0;
    for (const { begun_us, member, ended_us } of this.#writes)
      longest_us = Math.max(longest_us, (ended_us ?? member.silentSince_us ?? now_us) - begun_us);
    return longest_us;
  }

  /** One write through this machine; `end` hears at most once what became of it. */
  probe(machine: number, end: (fate: Fate) => void): void {
    const member = this.#world.unit(machine).open;
    if (member === undefined) end("failed");
    else this.#send(member, "write", end);
  }

  #beat(): void {
    if (!this.running) return;
    const { kernel } = this.#world;
    this.#one(this.#count % reads_every === 1 ? "read" : "write");
    const pause_us = Math.floor(second_us / this.#per_s);
    kernel.after(1 + Math.floor(pause_us / 2) + kernel.choices.jitter(beat, pause_us), () => this.#beat());
  }

  #one(kind: Operation["kind"]): void {
    if (this.#open >= open_max) return;
    this.#count += 1;
    const machine = this.#count % 2;
    const { open: member, machine: metal } = this.#world.unit(machine);
    if (member === undefined) {
      // A closed port says so at once, if anybody is there to say it.
      if (metal.up && !metal.hung && kind === "write") this.failures += 1;
      return;
    }
    this.#open += 1;
    let waiting = true;
    const release = () => {
      if (waiting) this.#open -= 1;
      waiting = false;
    };
    this.#world.kernel.after(patience_us, release);
    this.#send(member, kind, (fate) => {
      release();
      if (fate === "failed" && kind === "write") this.failures += 1;
    });
  }

  #send(member: Member, kind: Operation["kind"], end: (fate: Fate) => void): void {
    const { history, kernel } = this.#world;
    const operation = history.begin(kind, kernel.choices.jitter(which, keys));
    this.own.add(operation.id);
    const write: Write = { begun_us: kernel.now_us, member, ended_us: undefined };
    if (kind === "write") this.#writes.push(write);
    const reply = (answer: Answer) => {
      write.ended_us = kernel.now_us;
      if (answer.ok) this.#answered(member, operation, answer.revision);
      else if (answer.sure) history.failed(operation);
      if (!answer.ok && kind === "write" && member.running)
        this.errors[member.machine] = (this.errors[member.machine] ?? 0) + 1;
      end(answer.ok ? "acknowledged" : "failed");
    };
    member.submit(() => {
      if (kind === "write") member.requests.put(operation.key, operation.id, reply);
      else member.requests.read(reply);
    });
  }

  #answered(member: Member, operation: Operation, revision: number): void {
    const { kernel, history } = this.#world;
    const { store } = member.applier;
    this.shown = Math.max(this.shown, revision + store.raised);
    if (operation.kind === "write") {
      this.#measureGap();
      this.acknowledged_us.push(kernel.now_us);
      kernel.note(writeLine, operation.id, member.machine, revision);
    }
    history.answer(
      operation,
      revision,
      servedBy(member),
      operation.kind === "read" ? store.get(operation.key) : operation.id,
    );
  }

  #measureGap(): void {
    const { now_us } = this.#world.kernel;
    if (this.running) this.gap_us_max = Math.max(this.gap_us_max, now_us - this.#last_us);
    this.#last_us = now_us;
  }
}
