import { becomeReplicate, type Progress, progressOf } from "./progress.ts";
import { RaftLog } from "./log.ts";
import {
  type Conf,
  type Draft,
  type Entry,
  type HardState,
  type Message,
  type MessageType,
  messageOf,
  noConf,
  none,
} from "./types.ts";

export type Role = "follower" | "pre-candidate" | "candidate" | "leader";

export interface ReadState {
  readonly context: number;
  readonly index: number;
}

export interface PendingRead {
  readonly context: number;
  readonly from: number;
  readonly index: number;
  readonly acks: number[];
}

export interface RaftTimes {
  /** In ticks. etcd's defaults: a tick of 100 ms, an election time-out of 10 to 19 of them. */
  readonly election_ticks: number;
}

/** How the election time-out is drawn: 0 to n-1. */
export type Draw = (n: number) => number;

export interface Ready {
  readonly messages: readonly Message[];
  readonly entries: readonly Entry[];
  readonly committed: readonly Entry[];
  readonly state: HardState | undefined;
  readonly reads: readonly ReadState[];
  /** Only messages and reads. */
  readonly idle: boolean;
}

const noEntries: readonly Entry[] = [];
const noReads: readonly ReadState[] = [];
/** Never written to: the first message brings an array of its own. */
const noMessages: Message[] = [];

/**
 * The raft of etcd 3.5 as data: what `step.ts` and `leader.ts` do to it follows etcd's state machine case by case. It reads no
 * clock and sends nothing: messages to send, entries to save and entries to apply are taken from it as a `Ready`.
 */
export class Raft {
  readonly id: number;
  readonly log: RaftLog;
  readonly election_ticks: number;
  readonly #draw: Draw;
  term = 0;
  vote = none;
  lead = none;
  role: Role = "follower";
  conf: Conf = noConf;
  progress: Progress[] = [];
  elapsed_ticks = 0;
  timeout_ticks = 0;
  transferee = none;
  /** No second membership change is appended before this index is handed to the applier. */
  pending_conf = 0;
  votes = new Map<number, boolean>();
  reads: PendingRead[] = [];
  /** Asked before this leader had committed anything in its term. */
  early_reads: Message[] = [];
  messages: Message[] = noMessages;
  read_states: ReadState[] = [];
  /** A snapshot that was received and is not yet in the WAL. */
  snapshot: Message["snapshot"];
  onRole: ((role: Role, before: Role) => void) | undefined;
  #saved: HardState = { term: 0, vote: none, commit: 0 };

  constructor(
    id: number,
    log: RaftLog,
    times: RaftTimes,
    draw: Draw,
    state?: HardState,
    conf: Conf = noConf,
  ) {
    this.id = id;
    this.log = log;
    this.election_ticks = times.election_ticks;
    this.#draw = draw;
    this.useConf(conf);
    if (state !== undefined) {
      this.term = state.term;
      this.vote = state.vote;
      log.commitTo(state.commit);
      this.#saved = state;
    }
    this.reset(this.term);
  }

  get hardState(): HardState {
    return { term: this.term, vote: this.vote, commit: this.log.committed };
  }

  progressOf(id: number): Progress | undefined {
    for (const progress of this.progress) if (progress.id === id) return progress;
    return undefined;
  }

  /** Only a voter by its own applied configuration campaigns. */
  get promotable(): boolean {
    return this.conf.voters.includes(this.id) && this.snapshot === undefined;
  }

  /** The configuration changes here, when the change is applied, and not when it is committed. */
  useConf(conf: Conf): void {
    this.conf = conf;
    const last = this.log.last_index;
    this.progress = [...conf.voters, ...conf.learners].map((id) => {
      const before = this.progressOf(id);
      if (before !== undefined) return before;
      // New members count as active at once, or CheckQuorum would end the leader that added them.
      const made: Progress = { ...progressOf(id, last), active: true };
      if (id === this.id) made.match = last;
      return made;
    });
  }

  /** Gives the message, for what it carries. */
  send(type: MessageType, to: number): Draft {
    const free = type === "propose" || type === "read index";
    return this.sendVote(type, to, free ? 0 : this.term);
  }

  /** Votes carry a term of their own: a pre-vote asks for the next. */
  sendVote(type: MessageType, to: number, term: number): Draft {
    const message = messageOf(type, this.id, to, term);
    this.pass(message);
    return message;
  }

  pass(message: Message): void {
    // Mostly it stays the only one; an empty array would make room for seventeen.
    if (this.messages.length === 0) this.messages = [message];
    else this.messages.push(message);
  }

  reset(term: number): void {
    if (this.term !== term) {
      this.term = term;
      this.vote = none;
    }
    this.lead = none;
    this.elapsed_ticks = 0;
    this.timeout_ticks = this.election_ticks + this.#draw(this.election_ticks);
    this.transferee = none;
    this.votes.clear();
    this.pending_conf = 0;
    this.reads = [];
    const last = this.log.last_index;
    for (let i = 0; i < this.progress.length; i += 1) {
      const id = this.progress[i]?.id ?? none;
      const fresh = progressOf(id, last);
      if (id === this.id) fresh.match = last;
      this.progress[i] = fresh;
    }
  }

  become(role: Role): void {
    const before = this.role;
    this.role = role;
    this.onRole?.(role, before);
  }

  becomeFollower(term: number, lead: number): void {
    this.reset(term);
    this.lead = lead;
    this.become("follower");
  }

  becomeLeader(): void {
    this.reset(this.term);
    this.lead = this.id;
    const own = this.progressOf(this.id);
    if (own !== undefined) becomeReplicate(own);
    // A change that the last leader left uncommitted may still come: until its index is past, no new one.
    this.pending_conf = this.log.last_index;
    this.become("leader");
  }

  hasReady(): boolean {
    const { log } = this;
    return (
      this.messages.length > 0 ||
      this.read_states.length > 0 ||
      this.snapshot !== undefined ||
      log.stable < log.last_index ||
      log.committed > log.handed ||
      this.#unsaved()
    );
  }

  /** Takes what there is to do. The next may only be taken after `advance` of this one. */
  ready(): Ready {
    const { log } = this;
    const entries = log.stable < log.last_index ? log.slice(log.stable + 1, log.last_index + 1) : noEntries;
    const committed = log.committed > log.handed ? log.slice(log.handed + 1, log.committed + 1) : noEntries;
    const state = this.#unsaved() ? this.hardState : undefined;
    const idle = entries.length === 0 && committed.length === 0 && state === undefined;
    const ready: Ready = {
      messages: this.messages,
      entries,
      committed,
      state,
      reads: this.read_states.length > 0 ? this.read_states : noReads,
      idle,
    };
    this.messages = noMessages;
    if (this.read_states.length > 0) this.read_states = [];
    if (ready.state !== undefined) this.#saved = ready.state;
    return ready;
  }

  advance(ready: Ready): void {
    const handed = ready.committed.at(-1)?.index;
    if (handed !== undefined) this.log.handed = Math.max(this.log.handed, handed);
    const last = ready.entries.at(-1);
    if (last !== undefined) this.log.stableTo(last.index, last.term);
  }

  #unsaved(): boolean {
    const saved = this.#saved;
    return saved.term !== this.term || saved.vote !== this.vote || saved.commit !== this.log.committed;
  }
}
