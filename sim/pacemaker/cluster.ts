import type { Attributes } from "../attributes.ts";
import type { Corosync } from "../corosync.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { FenceAgent, PacemakerPolicy, ResourceAgent } from "./agent.ts";
import type { Controller } from "./controller.ts";

/** What the two controllers need of each other. */
export interface Cluster {
  readonly kernel: Kernel;
  readonly corosync: Corosync;
  readonly attributes: Attributes;
  readonly policy: PacemakerPolicy;
  readonly agent: ResourceAgent;
  readonly fenceAgent: FenceAgent;
  /** Pacemaker starts, stops and fences nothing. Its monitors are not modelled as ended: they only wake duet. */
  maintenance: boolean;
  /** `duet standby`: in the configuration, so that it outlives a boot. */
  readonly onStandby: Set<number>;
  controller(machine: number): Controller | undefined;
  fenced(by: number, target: number, ok: boolean): void;
}
