import type { Fault } from "../lab/bmc/fault.ts";
import { planReset, type ResetType } from "../lab/bmc/power/reset.ts";
import type { PowerState, Step } from "../lab/bmc/power/sequencer.ts";
import type { Kernel } from "./kernel/kernel.ts";
import { label } from "./kernel/label.ts";
import { cancel, type Event } from "./kernel/queue.ts";
import { traceKind } from "./kernel/trace.ts";

export type { Fault } from "../lab/bmc/fault.ts";
export type { ResetType } from "../lab/bmc/power/reset.ts";
export type { PowerState } from "../lab/bmc/power/sequencer.ts";

export interface BmcTimes {
  readonly answer_us: number;
  readonly off_us: number;
  readonly on_us: number;
  readonly manager_reset_us: number;
  /** From the return of the feed to the first answer. */
  readonly boot_us: number;
}

export const bmcTimes: BmcTimes = {
  answer_us: 60_000,
  off_us: 1_500_000,
  on_us: 4_000_000,
  manager_reset_us: 20_000_000,
  boot_us: 30_000_000,
};

/** What the BMC switches. */
export interface Metal {
  isOn(): boolean;
  on(): void;
  cut(): void;
  /** The power button: a system that works shuts down, a hung one stays. */
  press(): void;
}

export type BmcRequest = { readonly login?: "basic" | "session" } & (
  | { readonly kind: "read" }
  | { readonly kind: "tag"; readonly value: string; readonly if_match?: string }
  | { readonly kind: "reset"; readonly type: ResetType }
  | { readonly kind: "manager reset" }
);

export interface BmcAnswer {
  readonly status: number;
  readonly power?: PowerState;
  readonly tag?: string;
  readonly etag?: string;
}

export type RestorePolicy = "AlwaysOn" | "AlwaysOff" | "LastState";

/** What a fault makes of a request before anything is done. */
type Turn = "go on" | "no answer" | "pretend" | "accept" | { readonly status: number };

const answerTime = label("bmc.answer-time");
const powerLine = traceKind("bmc.power", (machine, what) => `BMC ${machine}: ${what}`);
const tagLine = traceKind(
  "bmc.tag",
  (machine, tag) => `BMC ${machine}: the tag is now ${tag === "" ? "empty" : tag}`,
);
const faultLine = traceKind("bmc.fault", (machine, what) => `BMC ${machine}: ${what}`);

export class Bmc {
  readonly machine: number;
  tag = "";
  /** The one that stood there before. */
  #before = "";
  policy: RestorePolicy = "LastState";
  readonly #kernel: Kernel;
  readonly #times: BmcTimes;
  readonly #metal: Metal;
  #faults: readonly Fault[] = [];
  #version = 1;
  #fed = true;
  /** The service answers; not while the BMC boots or resets. */
  #serving = true;
  #frozen: PowerState | undefined;
  /**
   * It has lost sight of its machine: it shows Off, and refuses commands. Only together: Off behind a command that was taken is true, also
   * where the fault comes between the two.
   */
  #blind = false;
  #refusedBlind = false;
  #falseOff_us = Number.NEGATIVE_INFINITY;
  #was_on = false;
  #steps: readonly Step[] = [];
  #moving: Event | undefined;

  constructor(kernel: Kernel, machine: number, metal: Metal, times: BmcTimes = bmcTimes) {
    this.#kernel = kernel;
    this.machine = machine;
    this.#metal = metal;
    this.#times = times;
  }

  get faults(): readonly Fault[] {
    return this.#faults;
  }

  setFaults(faults: readonly Fault[]): void {
    this.#frozen = faults.some((fault) => fault.kind === "stale-power-state")
      ? (this.#frozen ?? this.power)
      : undefined;
    this.#faults = faults;
    this.#kernel.note(
      faultLine,
      this.machine,
      faults.length === 0 ? "no fault" : faults.map((f) => f.kind).join(", "),
    );
  }

  get blind(): boolean {
    return this.#blind;
  }

  set blind(blind: boolean) {
    if (blind && !this.#blind) this.#refusedBlind = false;
    this.#blind = blind;
    this.#kernel.note(
      faultLine,
      this.machine,
      blind ? "shows Off, and refuses commands" : "sees its machine again",
    );
  }

  /** When it last showed Off of a machine that ran, and had refused nothing by which the reader could have known better. */
  get falseOff_us(): number {
    return this.#falseOff_us;
  }

  /** Its machine and itself have power to live on. */
  get fed(): boolean {
    return this.#fed;
  }

  /** It is neither dark nor booting. */
  get serving(): boolean {
    return this.#fed && this.#serving;
  }

  has(kind: Fault["kind"]): boolean {
    return this.#faults.some((fault) => fault.kind === kind);
  }

  /** What is true, whatever it says. */
  get power(): PowerState {
    const [step] = this.#steps;
    if (step !== undefined) return step === "on" ? "PoweringOn" : "PoweringOff";
    return this.#metal.isOn() ? "On" : "Off";
  }

  get #shown(): PowerState {
    const isMoving = this.#steps.length > 0;
    return this.#blind && !isMoving ? "Off" : (this.#frozen ?? this.power);
  }

  get #powerState(): Pick<BmcAnswer, "power"> {
    return this.has("no-power-state") ? {} : { power: this.#shown };
  }

  get etag(): string {
    return `"${this.#version}"`;
  }

  /** A request arrived. `reply` is called with the answer, or never: each caller needs its own deadline. */
  handle(request: BmcRequest, reply: (answer: BmcAnswer) => void): void {
    if (!this.#fed || !this.#serving) return;
    const turn = this.#turn(request);
    if (turn === "no answer") return;
    const slow = this.#faults.find((fault) => fault.kind === "slow");
    const delay_us =
      (slow === undefined ? 0 : slow.seconds * 1_000_000) +
      this.#times.answer_us / 2 +
      this.#kernel.choices.jitter(answerTime, this.#times.answer_us);
    this.#kernel.after(delay_us, () => {
      if (!this.#fed || !this.#serving) return;
      reply(this.#answer(request, turn));
    });
  }

  #turn(request: BmcRequest): Turn {
    for (const { kind } of this.#faults) {
      const turn = turnOf(kind, request);
      if (turn !== "go on") return turn;
    }
    return "go on";
  }

  #answer(request: BmcRequest, turn: Turn): BmcAnswer {
    if (typeof turn === "object") return turn;
    // Whatever else is wrong with it: one that shows Off of a running machine *and* takes the command can't be made safe.
    if (this.#blind && request.kind === "reset") return this.#refuseBlind();
    if (turn === "accept") return { status: 202 };
    const pretend = turn === "pretend";
    switch (request.kind) {
      case "read":
        this.#noteFalseOff();
        return { status: 200, ...this.#powerState, tag: this.tag, etag: this.etag };
      case "tag":
        if (request.if_match !== undefined && request.if_match !== this.etag) return { status: 412 };
        if (!pretend) this.writeTag(request.value);
        return { status: 200, tag: pretend ? request.value : this.tag, etag: this.etag };
      case "reset":
        return pretend ? { status: 204 } : this.#reset(request.type);
      case "manager reset":
        if (!pretend) this.#restart(this.#times.manager_reset_us);
        return { status: 204 };
    }
  }

  #refuseBlind(): BmcAnswer {
    this.#refusedBlind = true;
    this.#falseOff_us = Number.NEGATIVE_INFINITY;
    return { status: 503 };
  }

  #noteFalseOff(): void {
    const isFalse = this.#powerState.power === "Off" && this.#metal.isOn();
    if (isFalse && !this.#refusedBlind) this.#falseOff_us = this.#kernel.now_us;
  }

  /** As setup and tests put it there. */
  writeTag(tag: string): void {
    if (tag !== this.tag) this.#before = this.tag;
    this.tag = tag;
    this.#version += 1;
    this.#kernel.note(tagLine, this.machine, tag);
  }

  #reset(type: ResetType): BmcAnswer {
    const meant = type === "ForceOff" && this.has("graceful-off") ? "GracefulShutdown" : type;
    if (type === "ForceOff" && this.power === "Off" && this.has("refuses-done")) return { status: 409 };
    const plan = planReset(meant, this.power);
    this.#kernel.note(powerLine, this.machine, `${type} at ${this.power}`);
    switch (plan.do) {
      case "nothing":
        break;
      case "steps":
        this.#begin(plan.steps);
        break;
      case "stay off":
        this.#steps = this.#steps.slice(0, 1);
        break;
      case "press":
        this.#metal.press();
        break;
      case "refuse":
        return { status: 409 };
    }
    return { status: 204 };
  }

  #begin(steps: readonly Step[]): void {
    cancel(this.#moving);
    this.#steps = steps;
    const [step] = steps;
    if (step === undefined) return;
    this.#moving = this.#kernel.after(step === "on" ? this.#times.on_us : this.#times.off_us, () => {
      this.#steps = this.#steps.slice(1);
      if (step === "on") this.#metal.on();
      else this.#metal.cut();
      this.#was_on = step === "on";
      this.#kernel.note(powerLine, this.machine, step === "on" ? "power is on" : "power is off");
      this.#begin(this.#steps);
    });
  }

  /** The machine changed its power by itself; what it is when the feed goes does not count. */
  remember(on: boolean): void {
    this.#was_on = on;
  }

  /** By itself, and at once: whatever was on its way to it is lost. */
  restart(): void {
    if (this.serving) this.#restart(this.#times.manager_reset_us);
  }

  feedLost(): void {
    this.#fed = false;
    this.#serving = false;
    cancel(this.#moving);
    this.#steps = [];
  }

  feedReturned(): void {
    if (this.#fed) return;
    this.#fed = true;
    this.#restart(this.#times.boot_us, () => {
      const on = this.policy === "AlwaysOn" || (this.policy === "LastState" && this.#was_on);
      if (on) this.#begin(["on"]);
    });
  }

  #restart(away_us: number, then?: () => void): void {
    this.#serving = false;
    if (this.has("forgets-tag")) this.writeTag("");
    else if (this.has("older-tag")) this.writeTag(this.#before);
    this.#kernel.after(away_us, () => {
      if (!this.#fed) return;
      this.#serving = true;
      then?.();
    });
  }
}

/** Every fault of the lab's BMC, or this does not compile. */
function turnOf(kind: Fault["kind"], request: BmcRequest): Turn {
  switch (kind) {
    case "unreachable":
    case "hang-after-connect":
    case "hang-in-tls":
    // A byte a second outlasts every deadline.
    case "drip":
      return "no answer";
    case "unauthorized":
      return { status: 401 };
    case "server-error":
      return { status: 500 };
    case "session-limit":
      return request.login === "session" ? { status: 503 } : "go on";
    case "no-power-state":
      return request.kind === "reset" ? { status: 503 } : "go on";
    case "lies":
      return request.kind === "read" ? "go on" : "pretend";
    case "accepted-no-effect":
      return request.kind === "read" ? "go on" : "accept";
    case "graceful-off":
    case "refuses-done":
    case "stale-power-state":
    case "slow":
    case "forgets-tag":
    case "older-tag":
      return "go on";
  }
}
