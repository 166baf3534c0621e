import { label } from "../kernel/label.ts";
import { Life } from "../kernel/life.ts";
import { traceKind } from "../kernel/trace.ts";
import { Applier } from "./applier.ts";
import type { DataFolder } from "./data.ts";
import type { EtcdEnv } from "./env.ts";
import { unreachable } from "./leader.ts";
import { EtcdPanic } from "./log.ts";
import { isMember } from "./membership.ts";
import type { Raft, Ready, Role } from "./raft.ts";
import { Requests } from "./requests.ts";
import { step, tick } from "./step.ts";
import { type Message, messageOf, none } from "./types.ts";

const flushTime = label("etcd.flush-time");
const tickPhase = label("etcd.tick-phase");
const roleLine = traceKind("etcd.role", (id, role, term) => `member ${id} is ${role} in term ${term}`);
const exitLine = traceKind("etcd.exit", (id, why) => `member ${id} ended: ${why}`);
const startLine = traceKind(
  "etcd.start",
  (id, machine, commit) => `member ${id} runs on machine ${machine}, committed ${commit}`,
);

interface Contact {
  readonly id: number;
  readonly since_us: number;
  last_us: number;
}

/**
 * A running etcd. Its raft gives it one `Ready` at a time: as leader it sends before it syncs, as follower after; what is
 * committed goes to an applier that works on its own time.
 */
export class Member {
  readonly id: number;
  readonly machine: number;
  /** In sentences. */
  readonly name: string;
  readonly data: DataFolder;
  readonly env: EtcdEnv;
  readonly raft: Raft;
  readonly life: Life;
  readonly applier: Applier;
  readonly requests: Requests;
  /** Machines of members that it learned when it joined, before it applied anything. */
  readonly #addresses: Record<number, number>;
  readonly #joins: boolean;
  readonly #contacts: Contact[] = [];
  #busy = false;
  #pumping = false;
  #started = false;
  #paused = false;
  #silent_us: number | undefined;
  #stalled: (() => void)[] = [];
  #ended: string | undefined;
  #lead = none;

  constructor(
    env: EtcdEnv,
    machine: number,
    data: DataFolder,
    raft: Raft,
    options: {
      readonly life: Life;
      readonly addresses: Readonly<Record<number, number>>;
      readonly joins: boolean;
    },
  ) {
    this.env = env;
    this.id = data.member;
    this.machine = machine;
    this.name = `member ${this.id} on machine ${machine}`;
    this.data = data;
    this.raft = raft;
    this.life = new Life(options.life);
    this.#addresses = { ...options.addresses };
    this.#joins = options.joins;
    this.applier = new Applier(this);
    this.requests = new Requests(this);
    // Named first, for the reason that corosync.ts tells.
    const tellRole = (role: Role, before: Role) => {
      for (const observer of env.observers) observer.role?.(this, role);
      if (role !== before) env.kernel.note(roleLine, this.id, role, raft.term);
    };
    raft.onRole = tellRole;
  }

  get running(): boolean {
    return this.#started && this.#ended === undefined && this.life.alive;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** Since when it answers nobody, as it stands still or has ended; undefined: it goes on. */
  get silentSince_us(): number | undefined {
    return this.#silent_us;
  }

  /** Why it ended, once it did by itself or was told to. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Begins to work; the port is open from here on. */
  start(): void {
    const { env } = this;
    this.#started = true;
    env.kernel.note(startLine, this.id, this.machine, this.raft.log.committed);
    for (const observer of env.observers) observer.loaded?.(this);
    const work = () => this.#tick();
    const tickAgain = () => {
      if (!this.running) return;
      if (!this.#paused) this.guarded(work);
      env.kernel.after(env.times.tick_us, tickAgain);
    };
    env.kernel.after(env.kernel.choices.jitter(tickPhase, env.times.tick_us), tickAgain);
    this.guarded(() => undefined);
    this.requests.publish();
  }

  #tick(): void {
    tick(this.raft);
    this.requests.tick();
    const before_us = this.env.kernel.now_us - this.env.times.connection_us;
    for (let at = this.#contacts.length - 1; at >= 0; at -= 1) {
      const contact = this.#contacts[at];
      if (contact === undefined || contact.last_us >= before_us) continue;
      this.#contacts.splice(at, 1);
      unreachable(this.raft, contact.id);
    }
  }

  /** Does something later, if it still runs then; while it is stopped by a signal or a hung machine, when that is over. */
  when(delay_us: number, work: () => void): void {
    const run = () => {
      if (!this.running) return;
      if (this.#paused) this.#stalled.push(run);
      else this.guarded(work);
    };
    this.env.kernel.after(delay_us, run);
  }

  /** A request comes in: at once, or when it goes on after a stop. */
  submit(work: () => void): void {
    if (!this.running) return;
    if (this.#paused) this.#stalled.push(() => this.submit(work));
    else work();
  }

  /** Told to begin an election at once, as by a leader that hands over; here by its own machine. */
  elect(): void {
    this.submit(() => this.guarded(() => step(this.raft, messageOf("campaign now", this.id, this.id, 0))));
  }

  /** Whatever changes raft goes through here: afterwards there may be something to save, send or apply. */
  guarded(work: () => void): void {
    try {
      work();
      this.#pump();
    } catch (error) {
      this.#panicked(error);
    }
  }

  #panicked(error: unknown): void {
    if (!(error instanceof EtcdPanic)) throw error;
    this.exit(`panic: ${error.message}`, "crash");
  }

  receive(message: Message): void {
    if (!this.running) return;
    if (this.#paused) {
      this.#stalled.push(() => this.receive(message));
      return;
    }
    if (message.to !== this.id) return;
    this.#heard(message.from);
    try {
      step(this.raft, message);
      this.#pump();
    } catch (error) {
      this.#panicked(error);
    }
  }

  /**
   * A message names its sender's address, so that it can be answered by one who knows no member yet: a joiner that was cut off
   * before it applied anything has forgotten to whom it was introduced (rafthttp's `AddRemote`).
   */
  meets(id: number, machine: number): void {
    this.#addresses[id] ??= machine;
  }

  /** True where the sender was removed: the transport tells it so, and it ends. */
  hasRemoved(id: number): boolean {
    return this.applier.membership.removed.includes(id);
  }

  send(message: Message): void {
    if (this.hasRemoved(message.to)) return;
    const filled = message.type === "snapshot" ? this.#filled(message) : message;
    const machine = this.applier.membership.machines[message.to] ?? this.#addresses[message.to];
    if (machine !== undefined) this.env.carry(this, machine, filled);
  }

  /** A snapshot shows what is applied when it is sent, which may be more than when it was asked for. */
  #filled(message: Message): Message {
    const snapshot = this.applier.sendable();
    const progress = this.raft.progressOf(message.to);
    if (progress?.state === "snapshot") progress.pending_snapshot = snapshot.index;
    return { ...message, snapshot };
  }

  /** Since when the other is connected without a break, or nothing. */
  connectedSince(id: number): number | undefined {
    return this.#contacts.find((contact) => contact.id === id)?.since_us;
  }

  #heard(id: number): void {
    const { now_us } = this.env.kernel;
    for (const contact of this.#contacts)
      if (contact.id === id) {
        contact.last_us = now_us;
        return;
      }
    this.#contacts.push({ id, since_us: now_us, last_us: now_us });
  }

  #pump(): void {
    // An answer given in the middle of a `Ready` may bring the next request: that one waits for its turn.
    if (this.#pumping) return;
    this.#pumping = true;
    const { raft } = this;
    try {
      while (!this.#busy && this.running && raft.hasReady()) this.#handle(raft.ready());
    } finally {
      this.#pumping = false;
    }
    this.#notice();
  }

  #notice(): void {
    const { raft } = this;
    if (raft.lead !== this.#lead) {
      this.#lead = raft.lead;
      this.requests.leaderChanged(raft.lead);
    }
  }

  #handle(ready: Ready): void {
    const { raft } = this;
    for (const read of ready.reads) this.requests.readState(read);
    if (!ready.idle || raft.snapshot !== undefined) this.#save(ready);
    // Nothing to save or to apply, as with every heartbeat.
    else
      for (const message of raft.role === "leader" ? ready.messages : answers(ready.messages))
        this.send(message);
  }

  #save(ready: Ready): void {
    const { raft, data, env } = this;
    const leads = raft.role === "leader";
    const { snapshot } = raft;
    const first = ready.entries[0];
    const last = ready.committed.at(-1);
    // Committed by this member alone, or behind a snapshot: applied only once it is synced.
    const late =
      snapshot !== undefined || (first !== undefined && last !== undefined && last.index >= first.index);
    let applied = ready.committed.length === 0;
    let waiting: (() => void) | undefined;
    const handOver = () => {
      if (last !== undefined) {
        for (const observer of env.observers) observer.committed?.(this, last.index);
        this.applier.hand(ready.committed, () => {
          applied = true;
          waiting?.();
        });
      }
      if (leads) for (const message of ready.messages) this.send(message);
    };
    if (!late) handOver();
    const end = () => {
      this.#busy = false;
      if (!leads) for (const message of answers(ready.messages)) this.send(message);
      raft.advance(ready);
    };
    const finish = () => {
      if (snapshot !== undefined) this.applier.install(snapshot);
      if (late) handOver();
      // A follower answers nothing before a membership change that it was given is applied.
      if (leads || applied || ready.committed.every((entry) => entry.kind !== "conf")) end();
      else {
        this.#busy = true;
        waiting = end;
      }
    };
    if (!data.wal.save(ready.state, ready.entries) && snapshot === undefined) {
      finish();
      return;
    }
    this.#busy = true;
    const early = env.kernel.choices.jitter(flushTime, 2) === 0;
    if (early) data.wal.flush();
    this.when(env.sync_us(this.machine), () => {
      if (snapshot !== undefined) this.applier.saveReceived(snapshot);
      data.wal.flushAndSync();
      this.#busy = false;
      finish();
    });
  }

  pause(): void {
    this.#paused = true;
    this.#silent_us ??= this.env.kernel.now_us;
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#ended === undefined) this.#silent_us = undefined;
    const stalled = this.#stalled;
    this.#stalled = [];
    for (const run of stalled) run();
  }

  /** close: the log is synced; crash: what only the process had is lost; cut: nobody is told, not even by a closed connection. */
  exit(why: string, how: "close" | "crash" | "cut"): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#silent_us ??= this.env.kernel.now_us;
    this.life.end();
    this.data.endBackend();
    if (how === "close") {
      this.data.wal.flushAndSync();
      this.applier.close();
    } else this.data.wal.processEnded();
    this.env.kernel.note(exitLine, this.id, why);
    if (how !== "cut") this.requests.closed();
    for (const observer of this.env.observers) observer.exited?.(this, why);
  }

  /** A peer that has applied this member's removal refuses it: etcd ends. */
  toldRemoved(): void {
    if (this.running) this.exit("the member has been permanently removed from the cluster", "close");
  }

  /** By what it has applied, or by how it was started: it serves no client then. */
  get isLearner(): boolean {
    const { membership } = this.applier;
    return membership.learners.includes(this.id) || (this.#joins && !membership.voters.includes(this.id));
  }

  get isMember(): boolean {
    return isMember(this.applier.membership, this.id);
  }
}

/** Of several answers to appends only the last is sent: it says as much. */
function answers(messages: readonly Message[]): readonly Message[] {
  let last = -1;
  let count = 0;
  for (let i = 0; i < messages.length; i += 1)
    if (messages[i]?.type === "append answer") {
      last = i;
      count += 1;
    }
  return count <= 1
    ? messages
    : messages.filter((message, i) => message.type !== "append answer" || i === last);
}
