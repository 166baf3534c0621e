import type { History, Operation, Served } from "./history.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { label } from "./kernel/label.ts";
import { cancel } from "./kernel/queue.ts";
import { traceKind } from "./kernel/trace.ts";
import type { Member } from "./raft/member.ts";
import type { World } from "./world.ts";
import type { Answer } from "./raft/requests.ts";

export interface ClientLoad {
  /** Operations in flight at once, over all sides. */
  readonly clients: number;
  readonly operations: number;
  readonly keys: number;
  /** Of a hundred operations, how many are linearizable reads. */
  readonly reads_percent: number;
  readonly pause_us: number;
  /** A client that finds every port closed goes away; else it comes back. */
  readonly gives_up: boolean;
  /** A client that hears nothing gives up then, and its operation stays open. */
  readonly patience_us: number;
}

export const steadyLoad: ClientLoad = {
  clients: 24,
  operations: 240,
  keys: 8,
  reads_percent: 25,
  pause_us: 30_000,
  gives_up: false,
  patience_us: 2_000_000,
};

/** Where every port is closed a client rests for about so long. */
const closed_us = 4_000_000;

const think = label("client.think");
const side = label("client.side");
const what = label("client.what");
const way = label("client.way");
const writeLine = traceKind(
  "client.write",
  (id, machine, revision) => `write ${id} acknowledged by machine ${machine} at revision ${revision}`,
);
const readLine = traceKind(
  "client.read",
  (id, machine, revision) => `read ${id} answered by machine ${machine} at revision ${revision}`,
);

/**
 * Clients on both sides: each sends an operation to one machine, waits, and sends the next. They see nothing of the world but
 * answers. An operation without an answer is open for ever: it may have happened.
 */
export class Clients {
  readonly history: History;
  readonly #kernel: Kernel;
  readonly #load: ClientLoad;
  readonly #sides: number;
  readonly #member: (machine: number) => Member | undefined;
  readonly #again = (): void => this.#next();
  #left: number;
  #running = 0;

  constructor(
    kernel: Kernel,
    history: History,
    load: ClientLoad,
    sides: number,
    member: (machine: number) => Member | undefined,
  ) {
    this.#kernel = kernel;
    this.history = history;
    this.#load = load;
    this.#sides = sides;
    this.#member = member;
    this.#left = load.operations;
  }

  start(): void {
    for (let i = 0; i < this.#load.clients; i += 1) {
      this.#running += 1;
      this.#rest(this.#load.pause_us);
    }
  }

  get done(): boolean {
    return this.#running === 0;
  }

  #rest(pause_us: number, before_us = 0): void {
    if (this.#left === 0) {
      this.#running -= 1;
      return;
    }
    this.#kernel.after(before_us + 1 + this.#kernel.choices.jitter(think, 2 * pause_us), this.#again);
  }

  /** A closed port is known at once, and the next machine is tried. */
  #open(first: number): Member | undefined {
    for (let i = 0; i < this.#sides; i += 1) {
      const member = this.#member((first + i) % this.#sides);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  #next(): void {
    if (this.#left === 0) {
      this.#running -= 1;
      return;
    }
    const { choices } = this.#kernel;
    const member = this.#open(choices.jitter(side, this.#sides));
    if (member === undefined && this.#load.gives_up) {
      this.#running -= 1;
      return;
    }
    if (member === undefined) {
      this.#rest(Math.max(closed_us, this.#load.pause_us));
      return;
    }
    this.#left -= 1;
    const dice = choices.jitter(what, 100 * this.#load.keys);
    const key = dice % this.#load.keys;
    const kind = Math.floor(dice / this.#load.keys) < this.#load.reads_percent ? "read" : "write";
    const operation = this.history.begin(kind, key);
    const patience = this.#kernel.after(this.#load.patience_us, () => this.#rest(this.#load.pause_us));
    let told = false;
    this.#send(member, operation, () => {
      if (told || this.#kernel.now_us >= patience.at_us) return;
      told = true;
      cancel(patience);
      // The way back takes a while.
      this.#rest(this.#load.pause_us, choices.jitter(way, 300));
    });
  }

  #send(member: Member, operation: Operation, told: () => void): void {
    const reply = (answer: Answer) => {
      if (answer.ok) this.#answered(member, operation, answer.revision);
      else if (answer.sure) this.history.failed(operation);
      told();
    };
    member.submit(() => {
      if (operation.kind === "write") member.requests.put(operation.key, operation.id, reply);
      else member.requests.read(reply);
    });
  }

  /** The answer is fixed when the server gives it: whether the client still listens makes no difference to what is promised. */
  #answered(member: Member, operation: Operation, revision: number): void {
    const { store } = member.applier;
    const line = operation.kind === "write" ? writeLine : readLine;
    this.#kernel.note(line, operation.id, member.machine, revision);
    this.history.answer(
      operation,
      revision,
      servedBy(member),
      operation.kind === "read" ? store.get(operation.key) : operation.id,
    );
  }
}

/** An answer of this member, as the history looks at it. */
export function servedBy({ applier: { store, membership }, name }: Member): Served {
  const holders = membership.voters.map((voter) => membership.machines[voter] ?? -1);
  return { by: store, name, values: store.values, raised: store.raised, holders };
}

/** Some clients more, beside those that are there. */
export function burst(
  world: Pick<World, "kernel" | "history" | "unit">,
  load: Pick<ClientLoad, "clients" | "operations" | "reads_percent" | "pause_us">,
): void {
  const { kernel, history } = world;
  new Clients(
    kernel,
    history,
    { ...steadyLoad, ...load, gives_up: true },
    2,
    (id) => world.unit(id).open,
  ).start();
}
