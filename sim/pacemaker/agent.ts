import type { Life } from "../kernel/life.ts";

/** What an agent's action comes to, in OCF's terms. */
export type Outcome = "ok" | "promoted" | "not running" | "error" | "timed out";

export type Operation = "start" | "stop" | "promote" | "demote" | "monitor" | "notify";
export type Role = "unknown" | "stopped" | "started" | "promoted";

/** What a notification says: what is about to be done, or was done, and on which machines. */
export interface Notification {
  readonly when: "pre" | "post";
  readonly operation: "start" | "stop" | "promote" | "demote";
  readonly machines: readonly number[];
}

export interface ActionContext {
  readonly machine: number;
  /** Ends with the action: by its time-out, or with the machine. What the action awaits goes through this life. */
  readonly life: Life;
  /** Monitor only: the role that Pacemaker believes in. */
  readonly role: Role;
  readonly notification: Notification | undefined;
}

/**
 * The plug for a resource agent: each operation is an async function whose only waits are effects on the virtual clock. The
 * handlers of both machines are one object; `context.machine` says where it runs. A thrown error is an outcome of "error".
 */
export interface ResourceAgent {
  run(operation: Operation, context: ActionContext): Promise<Outcome>;
}

/** The plug for a fence agent: true is "confirmed off". Runs on `machine`, against `target`. */
export interface FenceAgent {
  off(context: { readonly machine: number; readonly target: number; readonly life: Life }): Promise<boolean>;
}

export interface PacemakerPolicy {
  readonly timeouts_us: Readonly<Record<Operation, number>>;
  readonly monitor_us: Readonly<Record<"started" | "promoted", number>>;
  readonly off_timeout_us: number;
  readonly off_tries: number;
  /** How long a fence of each machine waits before it begins: the race is decided by their difference. */
  readonly fence_delay_us: readonly [number, number];
  readonly fence_again_us: number;
  readonly startup_fencing: boolean;
  readonly migration_threshold: number;
  /** One failed start counts as many: Pacemaker's default. */
  readonly start_failure_is_fatal: boolean;
  readonly failure_timeout_us: number;
  readonly dc_deadtime_us: number;
  /** In a million notifications: how many never come, and how many come seconds late. */
  readonly notify_lost_ppm: number;
  readonly notify_late_ppm: number;
}

export const pacemakerPolicy: PacemakerPolicy = {
  timeouts_us: {
    start: 60_000_000,
    stop: 40_000_000,
    promote: 60_000_000,
    demote: 40_000_000,
    monitor: 10_000_000,
    notify: 20_000_000,
  },
  monitor_us: { started: 11_000_000, promoted: 10_000_000 },
  off_timeout_us: 60_000_000,
  off_tries: 2,
  fence_delay_us: [10_000_000, 0],
  fence_again_us: 2_000_000,
  startup_fencing: true,
  migration_threshold: 5,
  start_failure_is_fatal: true,
  failure_timeout_us: 120_000_000,
  dc_deadtime_us: 4_000_000,
  notify_lost_ppm: 30_000,
  notify_late_ppm: 60_000,
};
