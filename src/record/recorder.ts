import type { Failure, Loss, State } from "../act/effects.ts";
import type { End } from "../act/steps.ts";
import type { Verdict } from "../decide/decide.ts";
import type { Answer } from "./admin.ts";
import type { ClusterWord } from "../machine/cluster-journal.ts";
import type { Facts } from "../decide/facts.ts";
import { type TableName, tableNames } from "../decide/rules.ts";
import { encode } from "./encode.ts";
import type { Body, Detail, EventName } from "./entry.ts";
import type { Sink } from "./file.ts";
import { counted, fold } from "./fold.ts";
import { freshMemory, type Memory, type MemoryStore } from "./memory.ts";
import type { Clock } from "./stamp.ts";
import { sightNews, sightOf, stateNews } from "./watch.ts";

/** After these the same decision is another one: it is about another loss. */
const turning: ReadonlySet<EventName> = new Set(["peer lost", "peer left", "peer back", "1+1"]);

/** Of these the journals may tell more. */
const newsworthy: ReadonlySet<EventName> = new Set([...turning, "off confirmed", "takeover ends"]);

/** So long after such an event Pacemaker is still at work on it. */
const echo_ms = 30_000;

/** What a power cut must not take. All of them come when the machine serves, or has nothing to serve: nobody waits for the disk. */
const kept: ReadonlySet<EventName> = new Set(["takeover ends", "full", "1+1", "fence failed", "false off"]);

interface Step {
  readonly name: string;
  readonly begun_ms: number;
  failure: string | undefined;
}

/** Told each event when it is written down; it must not throw. */
export type Heard = (event: EventName, detail: Detail) => void;

/** The flight recorder of one process. Nothing that it does can fail for who uses it. */
export class Recorder {
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #store: MemoryStore;
  readonly #boot: string;
  readonly #heard: Heard;
  #step: Step | undefined;
  #state: State | undefined;

  constructor(sink: Sink, clock: Clock, store: MemoryStore, heard: Heard = () => undefined) {
    this.#heard = heard;
    this.#sink = sink;
    this.#clock = clock;
    this.#store = store;
    this.#boot = clock().boot;
  }

  /** Read anew each time: another process may be at work. */
  get #memory(): Memory {
    const kept = this.#store.load();
    return kept?.boot === this.#boot ? kept : freshMemory(this.#boot);
  }

  get now_ms(): number {
    return this.#clock().mono_ms;
  }

  /** `sync`: on disk when this returns. Not for what stands in the way of a takeover. */
  event(event: EventName, detail: Detail = {}, sync = kept.has(event)): void {
    this.#write({ kind: "event", event, detail }, sync);
    this.#heard(event, detail);
    if (turning.has(event)) this.#unfold();
    if (newsworthy.has(event)) this.#remember({ unread_ms: this.now_ms + echo_ms });
  }

  /** Is there news in the journals that is not written down here yet? */
  get unread(): boolean {
    return this.#memory.unread_ms !== undefined;
  }

  /** What Corosync and Pacemaker told their journals, with the times at which they did. */
  clusterWords(words: readonly ClusterWord[], peer: { readonly id: number; readonly name: string }): void {
    const { unread_ms } = this.#memory;
    if (unread_ms !== undefined && this.now_ms >= unread_ms) this.#remember({ unread_ms: undefined });
    for (const word of words) {
      const ago_ms = Math.max(0, Math.round((this.now_ms - word.at_ms) * 1000) / 1000);
      if (word.kind === "token lost") {
        const { waited_ms } = word;
        this.event(word.kind, waited_ms === undefined ? { ago_ms } : { waited_ms, ago_ms });
      } else if (word.kind === "membership")
        this.event(word.kind, { ring: word.ring, peer: word.members.includes(peer.id), ago_ms });
      // Each also tells of itself that it is a member.
      else if (!word.what.startsWith("peer ") || word.of === peer.name)
        this.event(word.kind, { what: word.what, of: word.of, ago_ms });
    }
  }

  /**
   * A person's word, what that person was shown before, and what becomes of it. It is on disk when this returns. One that was accepted
   * and ends as `not done` is told again.
   */
  admin(who: string, said: string, shown: string, answer: Answer = { outcome: "accepted" }): void {
    this.event("admin", { who, said, shown, ...answer }, true);
  }

  decision(question: TableName, facts: Facts, { rule, path, decision, sentence }: Verdict): void {
    const body = { kind: "decision", question, rule, path, decision, sentence, facts } as const;
    const folded = fold(this.#memory.folds[question], body, this.now_ms);
    for (const each of folded.write) this.#write(each);
    this.#remember({ folds: { ...this.#memory.folds, [question]: folded.fold } });
  }

  /** For `runSteps(steps, recorder.step)`: the step before it has ended. */
  readonly step = (name: string): void => {
    this.#endStep(undefined);
    this.#step = { name, begun_ms: this.now_ms, failure: undefined };
    this.#write({ kind: "step", step: name, edge: "begin" });
  };

  /** The machine of steps has ended; where nobody knows how, the last step's own failure tells. */
  stepsEnd(end?: End): void {
    this.#endStep(end);
  }

  /** Something that the step under way did has failed. It may be tried again, and the step may still do. */
  failed({ kind, said }: Failure): void {
    if (this.#step !== undefined) this.#step.failure = `${kind}: ${said}`;
  }

  /** One picture of the world, begun at this time. */
  look(facts: Facts, begun_ms: number): void {
    const { sight: was } = this.#memory;
    const sight = sightOf(facts, begun_ms);
    for (const { event, detail } of sightNews(was, sight, this.now_ms)) this.event(event, detail);
    this.#remember({ sight });
  }

  /** The loss of the peer, as Corosync tells it: with the time since, which a picture can't know. Each is told once. */
  loss({ ring, since_ms, wentOff }: Loss, silent_ms?: number): void {
    if (this.#memory.lost === ring) return;
    const ago = since_ms === undefined ? {} : { ago_ms: Math.round(since_ms) };
    const silent = silent_ms === undefined ? {} : { silent_ms };
    this.event(wentOff ? "peer left" : "peer lost", { ring, ...ago, ...silent });
    this.#remember({ lost: ring });
  }

  stateRead(state: State): void {
    this.#state = state;
  }

  stateWritten(state: State): void {
    for (const { event, detail } of stateNews(this.#state, state)) this.event(event, detail);
    this.#state = state;
  }

  /** A takeover of this machine is past its point of no return, and not finished. */
  get owed(): boolean {
    return this.#state?.takeover?.step === "served";
  }

  #unfold(): void {
    const { folds } = this.#memory;
    for (const question of tableNames)
      for (const again of counted(question, folds[question])) this.#write(again);
    this.#remember({ folds: {} });
  }

  #endStep(end: End | undefined): void {
    const step = this.#step;
    if (step === undefined) return;
    this.#step = undefined;
    const outcome = end === undefined ? (step.failure ?? "ok") : end.done ? "ok" : end.why;
    const took_ms = this.now_ms - step.begun_ms;
    this.#write({ kind: "step", step: step.name, edge: "end", took_ms, outcome });
  }

  #write(body: Body, sync = false): void {
    try {
      this.#sink.append(encode(this.#clock(), body), sync);
    } catch {
      // Even a bug in here must not stop a takeover: the record lacks a line.
    }
  }

  #remember(change: Partial<Memory>): void {
    this.#store.save({ ...this.#memory, ...change });
  }
}
