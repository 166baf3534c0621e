import type { Kernel } from "./kernel/kernel.ts";
import { cancel, type Event } from "./kernel/queue.ts";
import { traceKind } from "./kernel/trace.ts";

export interface PduRequest {
  readonly kind: "read" | "off" | "on";
  readonly machine: number;
}
export interface PduAnswer {
  readonly status: number;
  readonly power: "On" | "Off";
}

const line = traceKind("pdu", (machine, what) => `outlet of machine ${machine}: ${what}`);

/** A power strip with an outlet per machine: it feeds machine and BMC together, so it can prove both off. */
export class Pdu {
  /** It has power itself and answers. */
  serving = true;
  readonly #kernel: Kernel;
  readonly #feed: (machine: number, on: boolean) => void;
  readonly #on: boolean[];
  readonly #moving: (Event | undefined)[] = [];
  readonly #answer_us: number;
  readonly #switch_us: number;

  constructor(
    kernel: Kernel,
    machines: number,
    feed: (machine: number, on: boolean) => void,
    times: { readonly answer_us: number; readonly switch_us: number } = {
      answer_us: 40_000,
      switch_us: 500_000,
    },
  ) {
    this.#kernel = kernel;
    this.#feed = feed;
    this.#on = Array.from({ length: machines }, () => true);
    this.#answer_us = times.answer_us;
    this.#switch_us = times.switch_us;
  }

  isOn(machine: number): boolean {
    return this.#on[machine] === true;
  }

  handle(request: PduRequest, reply: (answer: PduAnswer) => void): void {
    if (!this.serving) return;
    this.#kernel.after(this.#answer_us, () => {
      if (!this.serving) return;
      if (request.kind !== "read") this.#switch(request.machine, request.kind === "on");
      reply({
        status: request.kind === "read" ? 200 : 204,
        power: this.isOn(request.machine) ? "On" : "Off",
      });
    });
  }

  #switch(machine: number, on: boolean): void {
    cancel(this.#moving[machine]);
    this.#moving[machine] = this.#kernel.after(this.#switch_us, () => {
      if (this.#on[machine] === on) return;
      this.#on[machine] = on;
      this.#kernel.note(line, machine, on ? "on" : "off");
      this.#feed(machine, on);
    });
  }
}
