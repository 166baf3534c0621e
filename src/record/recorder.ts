import type { Failure, Loss, State } from "../act/effects.ts";
import type { End } from "../act/steps.ts";
import type { Verdict } from "../decide/decide.ts";
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

interface Step {
  readonly name: string;
  readonly begun_ms: number;
  failure: string | undefined;
}

/** The flight recorder of one process. Nothing that it does can fail for who uses it. */
export class Recorder {
  readonly #sink: Sink;
  readonly #clock: Clock;
  readonly #store: MemoryStore;
  readonly #boot: string;
  #step: Step | undefined;
  #state: State | undefined;

  constructor(sink: Sink, clock: Clock, store: MemoryStore) {
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
  event(event: EventName, detail: Detail = {}, sync = false): void {
    this.#write({ kind: "event", event, detail }, sync);
    if (turning.has(event)) this.#unfold();
  }

  /** A person's word, and what that person was shown before. It is on disk when this returns. */
  admin(who: string, said: string, shown: string): void {
    this.event("admin", { who, said, shown }, true);
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
    this.#sink.append(encode(this.#clock(), body), sync);
  }

  #remember(change: Partial<Memory>): void {
    this.#store.save({ ...this.#memory, ...change });
  }
}
