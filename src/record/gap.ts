import type { Failover, PhaseName } from "./timeline.ts";

/** A part of the time in which no write was answered. */
export interface GapPart {
  readonly until: PhaseName;
  /** Undefined: when it was is not known, and the next part has its time. */
  readonly took_ms: number | undefined;
}

export interface Gap {
  /** From the loss to the first write; undefined where one of them is not known. */
  readonly whole_ms: number | undefined;
  readonly parts: readonly GapPart[];
}

const gap_phases: readonly PhaseName[] = [
  "lost",
  "detected",
  "fence asked",
  "Off confirmed",
  "takeover",
  "first write served",
];

/** Where the time went in which nobody could write. */
export function gapOf({ phases }: Pick<Failover, "phases">): Gap {
  const at = (name: PhaseName) => phases.find((phase) => phase.name === name)?.at_ms;
  const [begin_ms, end_ms] = [at("lost"), at("first write served")];
  const parts: GapPart[] = [];
  let before_ms = begin_ms;
  for (const until of gap_phases.slice(1)) {
    const at_ms = at(until);
    const took_ms = at_ms === undefined || before_ms === undefined ? undefined : at_ms - before_ms;
    parts.push({ until, took_ms });
    before_ms = at_ms ?? before_ms;
  }
  const whole_ms = begin_ms === undefined || end_ms === undefined ? undefined : end_ms - begin_ms;
  return { whole_ms, parts };
}
