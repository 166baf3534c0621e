import type { Kernel } from "./kernel/kernel.ts";
import { type Label, label } from "./kernel/label.ts";
import { traceKind } from "./kernel/trace.ts";

export interface WireTimes {
  readonly delay_us_min: number;
  readonly delay_us_spread: number;
  /** In a million messages: how many are lost, come twice, come late enough to be overtaken, or take a hundred times as long. */
  readonly lost_ppm: number;
  readonly twice_ppm: number;
  readonly overtaken_ppm: number;
  readonly slow_ppm: number;
}

export const calm: WireTimes = {
  delay_us_min: 80,
  delay_us_spread: 240,
  lost_ppm: 0,
  twice_ppm: 0,
  overtaken_ppm: 0,
  slow_ppm: 0,
};
export const rough: WireTimes = {
  ...calm,
  lost_ppm: 3_000,
  twice_ppm: 2_000,
  overtaken_ppm: 4_000,
  slow_ppm: 1_000,
};

/** What somebody who looks into the messages wants to happen to the wire. */
export type Tap = (
  from: number,
  to: number,
  message: unknown,
) => "pass" | "lose" | "cut before" | "cut after";

const delay = label("wire.delay");
const fate = label("wire.fate");
const heldUp = label("wire.held");
const cutLine = traceKind("wire.cut", (name, from, to) => `${name}: nothing from ${from} to ${to} any more`);
const healLine = traceKind("wire.heal", (name, from, to) => `${name}: ${from} to ${to} works again`);
const fateLine = traceKind("wire.fate", (name, way, what) => `${name} ${way}: a message ${what}`);

/** What TCP kept during a cut still comes when it was short: later than that the connection is given up. */
const held_us_max = 5_000_000;
const held_messages_max = 256;

interface Way {
  up: boolean;
  cut_us: number;
  /** Arrival of the last message per stream: what comes in one stream comes in order. */
  readonly last_us: number[];
  held: (() => void)[];
}

/**
 * A network with a few ends. Each direction between two ends can be cut alone. A stream keeps its order, as TCP does, unless a
 * fault says otherwise; different streams overtake each other.
 */
export class Wire {
  readonly name: string;
  times: WireTimes;
  tap: Tap | undefined;
  onChange: (() => void) | undefined;
  readonly #kernel: Kernel;
  readonly #ends: number;
  readonly #ways: Way[];

  constructor(kernel: Kernel, name: string, ends: number, times: WireTimes = calm) {
    this.#kernel = kernel;
    this.name = name;
    this.#ends = ends;
    this.times = times;
    this.#ways = Array.from({ length: ends * ends }, () => ({
      up: true,
      cut_us: 0,
      last_us: [],
      held: [],
    }));
  }

  up(from: number, to: number): boolean {
    return this.#way(from, to).up;
  }

  /** Both directions work. */
  joined(a: number, b: number): boolean {
    return this.up(a, b) && this.up(b, a);
  }

  cut(from: number, to: number): void {
    const way = this.#way(from, to);
    if (!way.up) return;
    way.up = false;
    way.cut_us = this.#kernel.now_us;
    this.#kernel.note(cutLine, this.name, from, to);
    this.onChange?.();
  }

  heal(from: number, to: number): void {
    const way = this.#way(from, to);
    if (way.up) return;
    way.up = true;
    this.#kernel.note(healLine, this.name, from, to);
    const { held } = way;
    way.held = [];
    if (this.#kernel.now_us - way.cut_us <= held_us_max)
      for (const deliver of held) this.#kernel.after(this.#delay_us(), deliver);
    this.onChange?.();
  }

  cutBoth(a: number, b: number): void {
    this.cut(a, b);
    this.cut(b, a);
  }

  healBoth(a: number, b: number): void {
    this.heal(a, b);
    this.heal(b, a);
  }

  /** Pulls, or puts back, the cable of one end. */
  port(end: number, up: boolean): void {
    for (let other = 0; other < this.#ends; other += 1)
      if (other !== end) {
        if (up) this.healBoth(end, other);
        else this.cutBoth(end, other);
      }
  }

  /** `deliver` is called where and when the message arrives, if it does; whether anybody lives there is the caller's affair. */
  send<M>(from: number, to: number, stream: number, message: M, deliver: (message: M) => void): void {
    const way = this.#way(from, to);
    const verdict = this.tap === undefined ? "pass" : this.tap(from, to, message);
    if (verdict === "cut before") this.cutBoth(from, to);
    if (!way.up) {
      this.#hold(way, () => deliver(message));
      return;
    }
    const what = verdict === "lose" ? "lost" : this.#fate(from, to);
    if (what !== "lost") this.#carry(way, stream, what, message, deliver);
    if (verdict === "cut after") this.#cutBehind(from, to, way, stream);
  }

  #carry<M>(way: Way, stream: number, what: Fate, message: M, deliver: (message: M) => void): void {
    const { now_us } = this.#kernel;
    const last_us = way.last_us[stream] ?? 0;
    let at_us = now_us + this.#delay_us() * (what === "slow" ? 100 : 1);
    if (what === "overtaken") at_us += 10 * this.times.delay_us_spread;
    else {
      at_us = Math.max(at_us, last_us + 1);
      way.last_us[stream] = at_us;
    }
    const arrive = () => {
      if (way.up) deliver(message);
      else this.#hold(way, () => deliver(message));
    };
    this.#kernel.after(at_us - now_us, arrive);
    if (what === "twice") this.#kernel.after(at_us - now_us + this.#delay_us(), arrive);
  }

  /** The message itself still arrives, and nothing after it, nor an answer to it. */
  #cutBehind(from: number, to: number, way: Way, stream: number): void {
    this.cut(to, from);
    const arrival_us = Math.max(0, (way.last_us[stream] ?? 0) - this.#kernel.now_us);
    this.#kernel.after(arrival_us, () => this.cut(from, to));
  }

  #fate(from: number, to: number): Fate {
    const { lost_ppm, twice_ppm, overtaken_ppm, slow_ppm } = this.times;
    const all = lost_ppm + twice_ppm + overtaken_ppm + slow_ppm;
    if (all === 0 || this.#kernel.choices.fault(fate, 2, all) === 0) return "plain";
    const dice = this.#kernel.choices.jitter(fateOf, all);
    const what: Fate =
      dice < lost_ppm
        ? "lost"
        : dice < lost_ppm + twice_ppm
          ? "twice"
          : dice < lost_ppm + twice_ppm + overtaken_ppm
            ? "overtaken"
            : "slow";
    if (this.#kernel.trace.on) this.#kernel.note(fateLine, this.name, `${from}->${to}`, what);
    return what;
  }

  /** In a cut the sender's system keeps what was sent for a while; some of it, or it would be as if nothing was ever lost. */
  #hold(way: Way, deliver: () => void): void {
    if (way.held.length < held_messages_max && this.#kernel.choices.jitter(heldUp, 2) === 0)
      way.held.push(deliver);
  }

  #delay_us(): number {
    return this.times.delay_us_min + this.#kernel.choices.jitter(delay, this.times.delay_us_spread);
  }

  #way(from: number, to: number): Way {
    const way = this.#ways[from * this.#ends + to];
    if (way === undefined) throw new RangeError(`${this.name} has no way from ${from} to ${to}`);
    return way;
  }
}

type Fate = "plain" | "lost" | "twice" | "overtaken" | "slow";
const fateOf: Label = label("wire.fate-of");
