import { setTimeout as timer } from "node:timers/promises";

/** Anything that has power or has not: a machine, an outlet. */
export interface Switch {
  on(): Promise<void>;
  off(): Promise<void>;
  isOn(): Promise<boolean>;
}

export type PowerState = "On" | "Off" | "PoweringOn" | "PoweringOff";
export type Step = "on" | "off";

export interface PowerTimes {
  /** From the command to no power. */
  readonly off_ms: number;
  /** From the command to power. */
  readonly on_ms: number;
}

interface Run {
  readonly abort: AbortController;
  steps: readonly Step[];
  moving: "PoweringOn" | "PoweringOff";
  done: Promise<void>;
}

const movingTo = (step: Step): Run["moving"] => (step === "on" ? "PoweringOn" : "PoweringOff");

/**
 * Carries out power commands over time, as hardware does. The switch itself is thrown at the end of a step: while PoweringOff is
 * shown the machine still runs, so Off is never read too early.
 */
export class Sequencer {
  readonly #switch: Switch;
  readonly #times: PowerTimes;
  readonly #onFailure: (error: unknown) => void;
  #run: Run | undefined;

  constructor(sw: Switch, times: PowerTimes, onFailure: (error: unknown) => void) {
    this.#switch = sw;
    this.#times = times;
    this.#onFailure = onFailure;
  }

  async state(): Promise<PowerState> {
    const moving = this.#moving();
    if (moving !== undefined) return moving;
    const read = (await this.#switch.isOn()) ? "On" : "Off";
    // A command may have come while the switch was asked.
    return this.#moving() ?? read;
  }

  #moving(): Run["moving"] | undefined {
    return this.#run?.moving;
  }

  /** Begins these steps; what was under way ends where it is. */
  start(steps: readonly [Step, ...Step[]]): void {
    const before = this.#run;
    before?.abort.abort();
    const run: Run = {
      abort: new AbortController(),
      steps,
      moving: movingTo(steps[0]),
      done: Promise.resolve(),
    };
    this.#run = run;
    run.done = this.#perform(run, before?.done);
  }

  /** Where an off step is under way, it becomes the last one: the off of a power cycle turns into a plain off. */
  stayOff(): void {
    if (this.#run?.moving === "PoweringOff") this.#run.steps = this.#run.steps.slice(0, 1);
  }

  /** Resolves when no step is under way. */
  async settled(): Promise<void> {
    while (this.#run !== undefined) await this.#run.done;
  }

  async close(): Promise<void> {
    this.#run?.abort.abort();
    await this.settled();
  }

  async #perform(run: Run, before: Promise<void> | undefined): Promise<void> {
    try {
      await before;
      for (let [step] = run.steps; step !== undefined; [step] = run.steps) {
        run.moving = movingTo(step);
        const { signal } = run.abort;
        await timer(step === "on" ? this.#times.on_ms : this.#times.off_ms, undefined, { signal });
        await (step === "on" ? this.#switch.on() : this.#switch.off());
        run.steps = run.steps.slice(1);
      }
    } catch (error) {
      if (!run.abort.signal.aborted) this.#onFailure(error);
    } finally {
      if (this.#run === run) this.#run = undefined;
    }
  }
}
