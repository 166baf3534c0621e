import { errnoOf } from "../../machine/files.ts";
import type { Event } from "./event.ts";
import { type Message, withLeftOut } from "./message.ts";
import { aHuman } from "./pacemaker.ts";
import { admit, type Bucket, nextToken_ms, refilled } from "./rate.ts";
import type { Entry, Spool, SpoolState, WayState } from "./spool.ts";

/** One way to tell somebody. */
export interface Way {
  readonly name: string;
  /** Why it did not go; undefined: it went. Within its own deadline, and it never throws for what may happen. */
  readonly send: (message: Message) => Promise<string | undefined>;
}

export interface DeskOptions {
  readonly spool: Spool;
  readonly ways: readonly Way[];
  readonly now?: () => number;
  /** Is this rule still what the machine goes by? */
  readonly isStill?: (still: { readonly question: string; readonly rule: string }) => boolean;
  /** Told why something could not be kept on disk. */
  readonly complain?: (line: string) => void;
}

/** What is older is not news any more. */
export const age_ms_max = 24 * 3_600_000;
const entries_max = 200;
/** By one way at one round, so that the others are not kept waiting. */
const sends_max = 5;
/** A machine may need a person for a moment, on its way to something else. */
export const settle_ms = 20_000;
const again_ms_min = 2_000;
/** For about ten minutes, so that what was away for a moment is told soon after it is back; then slowly. */
const again_ms_soon = 30_000;
const soon_max = 20;
const again_ms_max = 300_000;

export const pauseAfter_ms = (failures: number): number =>
  failures > soon_max ? again_ms_max : Math.min(again_ms_soon, again_ms_min * 2 ** (failures - 1));

const fresh: WayState = { failures: 0, next_ms: 0, given_up: 0 };
/** The same thing again and again is limited; other things are other news. */
export const bucketOf = ({ kind, about, rule }: Event): string => [kind, about, rule].join(" ").trim();

/** Decides what goes when, and keeps what has not gone. */
export class Desk {
  readonly #spool: Spool;
  readonly #ways: readonly Way[];
  readonly #now: () => number;
  readonly #isStill: NonNullable<DeskOptions["isStill"]>;
  readonly #complain: NonNullable<DeskOptions["complain"]>;
  #entries: Entry[] = [];
  #state: SpoolState = { ways: {}, buckets: {} };
  #kept: Promise<void> = Promise.resolve();

  constructor({ spool, ways, now = Date.now, isStill = () => true, complain = () => {} }: DeskOptions) {
    this.#complain = complain;
    this.#spool = spool;
    this.#ways = ways;
    this.#now = now;
    this.#isStill = isStill;
  }

  async open(): Promise<void> {
    const load = async () => {
      this.#state = await this.#spool.state();
      this.#entries = await this.#spool.entries();
    };
    await this.#onDisk(load());
  }

  /** It is on disk when this returns, if the disk can. Taken twice, it is there once. */
  async take(event: Event, message: Message): Promise<void> {
    if (this.#entries.some((each) => each.message.id === message.id)) return;
    if (this.#isToldFence(event)) return;
    const now_ms = this.#now();
    const key = bucketOf(event);
    const waiting = this.#entries.find(({ held }) => held === key);
    const admission = admit(this.#state.buckets[key], now_ms, waiting !== undefined);
    this.#state.buckets[key] = admission.bucket;
    const { rule, question } = event;
    const settles = rule !== undefined && question !== undefined;
    const entry: Entry = {
      message: admission.now ? withLeftOut(message, admission.left_out) : message,
      to: this.#ways.map(({ name }) => name),
      taken_ms: now_ms,
      due_ms: settles ? now_ms + settle_ms : now_ms,
      ...(admission.now ? {} : { held: key }),
      ...(settles ? { still: { rule, question } } : {}),
    };
    this.#entries.push(entry);
    await this.#keep(entry);
    if (waiting !== undefined) await this.#forget(waiting);
    await this.#onDisk(this.#spool.save(this.#state));
  }

  /** A fence of duet's own is told at once; Pacemaker, which finds that machine off a moment later, counts it as its own and tells it too. */
  #isToldFence({ kind, about = "", by, ring }: Event): boolean {
    if (kind !== "fence-done" || by === aHuman || ring === undefined) return false;
    const told = this.#state.fenced?.[about] === ring;
    this.#state.fenced = { ...this.#state.fenced, [about]: ring };
    return told;
  }

  /** Sends what can be sent now. */
  async round(): Promise<void> {
    await this.#release();
    await this.#giveUp();
    await Promise.all(this.#ways.map((way) => this.#sendBy(way)));
    await this.#onDisk(this.#spool.save(this.#state));
  }

  /** So long is there nothing to do unless something comes in; undefined: nothing is left. */
  get rest_ms(): number | undefined {
    if (this.#entries.length === 0) return undefined;
    const now_ms = this.#now();
    const times = this.#entries.map((entry) => {
      const { held, due_ms, to } = entry;
      if (held !== undefined) return nextToken_ms(this.#bucket(held, now_ms), now_ms);
      return Math.max(due_ms, Math.min(...to.map((name) => this.#nextBy(name, now_ms))));
    });
    return Math.max(0, Math.min(...times) - now_ms);
  }

  #bucket = (key: string, now_ms: number): Bucket =>
    refilled(this.#state.buckets[key] ?? { tokens: 1, filled_ms: now_ms, left_out: 0 }, now_ms);

  /** A clock that was set back must not make this wait for longer than it ever would. */
  #nextBy(name: string, now_ms: number): number {
    return Math.min(this.#state.ways[name]?.next_ms ?? 0, now_ms + again_ms_max);
  }

  /** The last one of a kind that was limited goes when its time has come. */
  async #release(): Promise<void> {
    const now_ms = this.#now();
    for (const entry of this.#entries.filter(({ held }) => held !== undefined)) {
      const key = entry.held ?? "";
      const admission = admit(this.#bucket(key, now_ms), now_ms, false);
      if (!admission.now) continue;
      this.#state.buckets[key] = admission.bucket;
      const { held: _, ...free } = entry;
      await this.#replace(entry, { ...free, message: withLeftOut(entry.message, admission.left_out) });
    }
    // A bucket that is full says nothing that a missing one does not.
    for (const [key, bucket] of Object.entries(this.#state.buckets))
      if (refilled(bucket, now_ms).filled_ms === now_ms && bucket.left_out === 0)
        delete this.#state.buckets[key];
  }

  async #giveUp(): Promise<void> {
    const now_ms = this.#now();
    const names = this.#ways.map(({ name }) => name);
    for (const [index, entry] of this.#entries.entries()) {
      const overdue = now_ms - entry.taken_ms > age_ms_max || index < this.#entries.length - entries_max;
      const settled = entry.still !== undefined && entry.due_ms <= now_ms && !this.#isStill(entry.still);
      const to = entry.to.filter((name) => names.includes(name));
      if (overdue) for (const name of to) this.#note(name, ({ given_up }) => ({ given_up: given_up + 1 }));
      if (overdue || settled || to.length === 0) await this.#forget(entry);
    }
  }

  async #sendBy({ name, send }: Way): Promise<void> {
    if (this.#nextBy(name, this.#now()) > this.#now()) return;
    const waiting = this.#entries.filter(
      ({ to, held, due_ms }) => held === undefined && due_ms <= this.#now() && to.includes(name),
    );
    for (const { message } of waiting.slice(0, sends_max)) {
      const why = await send(message);
      const now_ms = this.#now();
      if (why !== undefined) {
        this.#note(name, ({ failures }) => ({
          failures: failures + 1,
          next_ms: now_ms + pauseAfter_ms(failures + 1),
          failed: { at_ms: now_ms, why: why.slice(0, 500) },
        }));
        return;
      }
      this.#note(name, () => ({ failures: 0, next_ms: 0, sent_ms: now_ms }));
      // Others may have sent it meanwhile by their own ways.
      const entry = this.#entries.find((each) => each.message.id === message.id);
      if (entry === undefined) continue;
      const to = entry.to.filter((each) => each !== name);
      await (to.length === 0 ? this.#forget(entry) : this.#replace(entry, { ...entry, to }));
    }
  }

  #note(name: string, change: (state: WayState) => Partial<WayState>): void {
    const before = this.#state.ways[name] ?? fresh;
    this.#state.ways[name] = { ...before, ...change(before) };
  }

  async #replace(old: Entry, entry: Entry): Promise<void> {
    this.#entries = this.#entries.map((each) => (each === old ? entry : each));
    await this.#keep(entry);
  }

  async #forget(entry: Entry): Promise<void> {
    this.#entries = this.#entries.filter((each) => each !== entry);
    await this.#keep(entry);
  }

  /**
   * The file as the memory has it, one after the other: two ways may be done with the same message at once, and a late write of the
   * first would bring back what the second has removed.
   */
  async #keep(entry: Entry): Promise<void> {
    const before = this.#kept;
    const write = async () => {
      await before;
      const current = this.#entries.find(({ message }) => message.id === entry.message.id);
      await this.#onDisk(current === undefined ? this.#spool.remove(entry) : this.#spool.put(current));
    };
    this.#kept = write();
    await this.#kept;
  }

  /** A disk that is full is no reason not to tell people; it may be what they are to be told of. */
  async #onDisk(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      this.#complain(`the alerts on disk could not be read or kept: ${errnoOf(error) ?? ""}`);
    }
  }
}
