import type { PacemakerPolicy, Role } from "./agent.ts";

/** What a controller believes of a machine. */
export interface Belief {
  readonly online: boolean;
  /** Lost without a goodbye, or never seen: it may run anything. */
  readonly unclean: boolean;
  readonly role: Role;
  /** The last action or monitor failed: stop, then start again in place. */
  readonly failed: boolean;
  readonly failures: number;
  readonly failed_us: number;
  readonly standby: boolean;
  /** Promotion score; undefined: never promoted. */
  readonly score: number | undefined;
}

export interface Plan {
  readonly probe: readonly number[];
  readonly fence: readonly number[];
  readonly demote: readonly number[];
  readonly stop: readonly number[];
  readonly start: readonly number[];
  readonly promote: readonly number[];
}

const nothing: Plan = { probe: [], fence: [], demote: [], stop: [], start: [], promote: [] };

export const isEmpty = (plan: Plan): boolean =>
  plan.probe.length +
    plan.fence.length +
    plan.demote.length +
    plan.stop.length +
    plan.start.length +
    plan.promote.length ===
  0;

/** What is to be done to bring the resource from what is believed to what is wanted. Pure. */
export function planFor(
  beliefs: readonly Belief[],
  quorate: boolean,
  policy: PacemakerPolicy,
  now_us: number,
): Plan {
  const machines = beliefs.map((_, machine) => machine);
  const is = (test: (belief: Belief) => boolean) =>
    machines.filter((machine) => {
      const belief = beliefs[machine];
      return belief !== undefined && test(belief);
    });
  const probe = is((b) => b.online && b.role === "unknown");
  if (probe.length > 0) return { ...nothing, probe };
  if (!quorate)
    return {
      ...nothing,
      demote: is((b) => b.online && b.role === "promoted"),
      stop: is((b) => b.online && b.role !== "stopped"),
    };
  const banned = (b: Belief) =>
    b.failures >= policy.migration_threshold && now_us - b.failed_us < policy.failure_timeout_us;
  const away = (b: Belief) => b.standby || banned(b);
  const running = (b: Belief) => b.role === "started" || b.role === "promoted";
  // Of a machine that is to be fenced every stop is implied by that, and none is run.
  const reachable = (b: Belief) => b.online && !b.unclean;
  const wantsStop = (b: Belief) => reachable(b) && running(b) && (b.failed || away(b));
  return {
    probe,
    fence: is((b) => b.unclean),
    demote: is((b) => b.role === "promoted" && (wantsStop(b) || (reachable(b) && b.score === undefined))),
    stop: is(wantsStop),
    start: is((b) => b.online && !away(b) && (b.role === "stopped" || b.failed)),
    promote: is(
      (b) =>
        b.online && !away(b) && !b.failed && b.role === "started" && b.score !== undefined && b.score >= 0,
    ).toSorted((one, other) => (beliefs[other]?.score ?? 0) - (beliefs[one]?.score ?? 0)),
  };
}

export const describe = (plan: Plan): string =>
  Object.entries(plan)
    .filter(([, machines]) => machines.length > 0)
    .map(([what, machines]) => `${what} ${machines.join(" and ")}`)
    .join(", ");
