import { setTimeout as timer } from "node:timers/promises";
import { refuse } from "../core/answer.ts";
import { type Fault, has } from "../fault.ts";
import type { Metal } from "../metal.ts";
import { planReset, type ResetType } from "./reset.ts";
import { type PowerState, type PowerTimes, Sequencer } from "./sequencer.ts";

export interface MachineTimes extends PowerTimes {
  /** How long a GracefulRestart waits for the OS to go down before it gives up and leaves the machine on. */
  readonly graceful_ms?: number;
}

export interface MachineOptions {
  readonly times: MachineTimes;
  readonly faults: () => readonly Fault[];
  /** What the BMC remembers of the machine's power. */
  readonly wasOn: boolean;
  readonly remember: (on: boolean) => Promise<void>;
  /** The machine is about to get power. */
  readonly booting: () => Promise<void>;
  readonly log: (sentence: string) => void;
}

const forced = "switched off by force while it was on";
/** For whoever asks later whether a machine that ran was taken its power, and by nobody's own hand. */
const forcedOff = (at: Date): string => `${forced} at ${at.toISOString()}`;
/** The moments of it in a BMC's log. */
export const forcedOffs_ms = (log: string): readonly number[] =>
  [...log.matchAll(new RegExp(`${forced} at (\\S+)`, "g"))].map(([, at = ""]) => Date.parse(at));

const watch_ms = 1_000;
const graceful_ms_default = 60_000;

/** The power of the machine that the BMC sits in: commands, readings, and what it remembers. */
export class MachinePower {
  readonly #metal: Metal;
  readonly #options: MachineOptions;
  readonly #sequencer: Sequencer;
  readonly #closing = new AbortController();
  readonly #watching: Promise<void>;
  #restarting = false;
  /** The newest reading; what the fault `stale-power-state` keeps showing. */
  #read: PowerState;

  constructor(metal: Metal, options: MachineOptions) {
    this.#metal = metal;
    this.#options = options;
    this.#read = options.wasOn ? "On" : "Off";
    const on = async () => {
      await options.booting();
      await metal.on();
      await options.remember(true);
    };
    const off = async () => {
      await metal.cut();
      await options.remember(false);
    };
    this.#sequencer = new Sequencer({ on, off, isOn: () => metal.isOn() }, options.times, (error) => {
      options.log(`the machine did not follow: ${String(error)}`);
    });
    this.#watching = this.#watch();
  }

  /** What PowerState shows; undefined: there is none. */
  async shown(): Promise<PowerState | undefined> {
    if (has(this.#options.faults(), "no-power-state")) return undefined;
    if (has(this.#options.faults(), "stale-power-state")) return this.#read;
    this.#read = await this.#sequencer.state();
    return this.#read;
  }

  async reset(type: ResetType): Promise<void> {
    if (has(this.#options.faults(), "no-power-state")) return refuse(503, "InternalError");
    if (type === "ForceOff" && has(this.#options.faults(), "graceful-off"))
      return this.reset("GracefulShutdown");
    const before = await this.#sequencer.state();
    if (type === "ForceOff" && before !== "Off") this.#options.log(forcedOff(new Date()));
    if (type === "ForceOff" && before === "Off" && has(this.#options.faults(), "refuses-done"))
      return refuse(409, "ResourceInStandby");
    const plan = planReset(type, before);
    switch (plan.do) {
      case "nothing":
        return;
      case "steps":
        this.#sequencer.start(plan.steps);
        return;
      case "stay off":
        this.#sequencer.stayOff();
        return;
      case "press":
        this.#press(plan.next);
        return;
      case "refuse":
        return refuse(409, plan.why === "is off" ? "ResourceInStandby" : "ResourceInUse");
    }
  }

  /** Resolves when no power step is under way. */
  async settled(): Promise<void> {
    await this.#sequencer.settled();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#watching;
    await this.#sequencer.close();
  }

  #press(next: "nothing" | "on"): void {
    if (next === "on") {
      if (this.#restarting) return;
      this.#restarting = true;
    }
    const work = async () => {
      await this.#metal.press();
      if (next === "on" && (await this.#wentDown())) this.#sequencer.start(["on"]);
    };
    work()
      .catch((error: unknown) => {
        this.#options.log(`the power button did nothing: ${String(error)}`);
      })
      .finally(() => {
        if (next === "on") this.#restarting = false;
      });
  }

  async #wentDown(): Promise<boolean> {
    const end_ms = performance.now() + (this.#options.times.graceful_ms ?? graceful_ms_default);
    while (performance.now() < end_ms && !this.#closing.signal.aborted) {
      if (!(await this.#metal.isOn())) return true;
      await timer(50);
    }
    return false;
  }

  /**
   * Remembers whether the machine is on, for `LastState`. Only what was read twice in a row counts: when the feed goes, machine and
   * BMC die together, and a machine seen dying is not one that was switched off.
   */
  async #watch(): Promise<void> {
    let before: PowerState | undefined;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const state = await this.#sequencer.state();
        if (!has(this.#options.faults(), "stale-power-state")) this.#read = state;
        if (state === before && (state === "On" || state === "Off"))
          await this.#options.remember(state === "On");
        before = state;
        await timer(watch_ms, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        this.#options.log(`the machine's power can't be read: ${String(error)}`);
        await timer(watch_ms, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
