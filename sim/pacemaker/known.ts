import type { Operation, PacemakerPolicy, Role } from "./agent.ts";

/** What is known of a machine: Pacemaker's status section, less what only the agent's attributes say. */
export interface Known {
  online: boolean;
  unclean: boolean;
  role: Role;
  failed: boolean;
  failures: number;
  failed_us: number;
  standby: boolean;
}

export const unknownMachine = (): Known => ({
  online: false,
  unclean: false,
  role: "unknown",
  failed: false,
  failures: 0,
  failed_us: 0,
  standby: false,
});

/** It is off, by a fence or by somebody's word: nothing runs there. */
export function noteFenced(known: Known): void {
  known.unclean = false;
  known.online = false;
  known.role = "stopped";
  known.failed = false;
}

/** Somebody has looked: nothing failed, and what runs there is found out anew. */
export function forget(known: Known): void {
  known.unclean = false;
  known.failed = false;
  known.failures = 0;
  known.role = "unknown";
}

/** An action failed there. What can't be stopped has to be switched off; everything else is stopped and started again. */
export function noteFailure(
  known: Known,
  operation: Operation,
  policy: PacemakerPolicy,
  now_us: number,
): void {
  const forgotten = now_us - known.failed_us >= policy.failure_timeout_us;
  known.failures = forgotten ? 1 : known.failures + 1;
  known.failed_us = now_us;
  if (operation === "stop") {
    known.unclean = true;
    return;
  }
  known.failed = true;
  // Half started, or found dead: it is stopped before it is started again.
  if (known.role === "stopped") known.role = "started";
  if (operation === "start" && policy.start_failure_is_fatal) known.failures = policy.migration_threshold;
}
