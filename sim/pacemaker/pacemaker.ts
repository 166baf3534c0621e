import type { Attributes } from "../attributes.ts";
import type { Corosync } from "../corosync.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Life } from "../kernel/life.ts";
import type { FenceAgent, PacemakerPolicy, ResourceAgent } from "./agent.ts";
import type { Cluster } from "./cluster.ts";
import { Controller } from "./controller.ts";

export type FencedListener = (by: number, target: number, ok: boolean) => void;

/** Pacemaker on both machines. */
export class Pacemaker {
  readonly onFenced: FencedListener[] = [];
  readonly #controllers: [Controller | undefined, Controller | undefined] = [undefined, undefined];
  readonly #cluster: Cluster;

  constructor(
    kernel: Kernel,
    corosync: Corosync,
    attributes: Attributes,
    agent: ResourceAgent,
    fenceAgent: FenceAgent,
    policy: PacemakerPolicy,
  ) {
    this.#cluster = {
      kernel,
      corosync,
      attributes,
      agent,
      fenceAgent,
      policy,
      maintenance: false,
      onStandby: new Set(),
      controller: (machine) => this.controller(machine),
      fenced: (by, target, ok) => {
        for (const listener of this.onFenced) listener(by, target, ok);
      },
    };
    for (const machine of [0, 1]) {
      corosync.onView(machine, (view) => this.controller(machine)?.viewed(view));
      attributes.onChange(machine, () => this.controller(machine)?.wake());
    }
  }

  controller(machine: number): Controller | undefined {
    const found = this.#controllers[machine === 0 ? 0 : 1];
    return found?.life.alive === true ? found : undefined;
  }

  start(machine: number, life: Life): void {
    const made = new Controller(this.#cluster, machine, life);
    this.#controllers[machine === 0 ? 0 : 1] = made;
    made.viewed(this.#cluster.corosync.view(machine));
    this.#cluster.corosync.cast(machine, () => this.controller(1 - machine)?.peerStarted());
  }

  /** `duet maintenance on|off`, for both machines. */
  maintenance(on: boolean): void {
    this.#cluster.maintenance = on;
    for (const machine of [0, 1]) this.controller(machine)?.wake();
  }

  /** `duet standby|unstandby`: said on either machine, for one of them. */
  standby(machine: number, on: boolean): void {
    if (on) this.#cluster.onStandby.add(machine);
    else this.#cluster.onStandby.delete(machine);
    for (const each of [0, 1]) this.controller(each)?.wake();
  }

  /** Nothing is started there that does not run. */
  isHeldBack(machine: number): boolean {
    return this.#cluster.maintenance || this.isOnStandby(machine);
  }

  isOnStandby(machine: number): boolean {
    return this.#cluster.onStandby.has(machine);
  }

  dead(machine: number): void {
    this.#controllers[machine === 0 ? 0 : 1] = undefined;
  }
}
