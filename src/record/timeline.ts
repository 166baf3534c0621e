import type { AdminWord } from "./admin.ts";
import type { Alignment } from "./align.ts";

/** The phases of a failover, in their order. */
export const phase_names = [
  "lost",
  "detected",
  "fence asked",
  "Off confirmed",
  "takeover",
  "first write served",
  "peer powered on",
  "peer back",
  "caught up",
  "full",
  "1+1",
] as const;
export type PhaseName = (typeof phase_names)[number];

export interface Phase {
  readonly name: PhaseName;
  /** Since the loss was detected; undefined: it did not happen, or nobody here knows. */
  readonly at_ms: number | undefined;
  /** Whose entry tells. */
  readonly machine: string | undefined;
  /** The rule that led here. */
  readonly rule: string | undefined;
  /** How it is known where that is not plain, or why it is not. */
  readonly note: string | undefined;
}

/** A decision that differs from the one before it. */
export interface TurnOfEvents {
  readonly at_ms: number;
  readonly machine: string;
  readonly question: string;
  readonly rule: string;
  readonly decision: string;
  readonly sentence: string;
}

export interface LinedUp extends Alignment {
  readonly machine: string;
  readonly boot: string;
  /** What it wrote in this boot lies between these times of the failover. */
  readonly from_ms: number;
  readonly to_ms: number;
}

/** A word of an admin, with its time in the failover. */
export type PlacedWord = AdminWord & { readonly at_ms: number };

/** All that a record tells: failovers, and what admins said when there was none. */
export interface Story {
  readonly failovers: readonly Failover[];
  readonly words: readonly AdminWord[];
  /** Earlier ones that were left out. */
  readonly words_more: number;
}

/** One loss of a machine, and what came of it. Times are by the survivor's clock. */
export interface Failover {
  readonly survivor: string;
  readonly gone: string;
  /** Of the takeover; undefined: there was none. */
  readonly epoch: number | undefined;
  /** When the loss was detected, by the survivor's wall clock. */
  readonly at: string;
  readonly phases: readonly Phase[];
  readonly turns: readonly TurnOfEvents[];
  /** Turns that were left out, to keep it short. */
  readonly turns_more: number;
  /** What admins said meanwhile, or just before. */
  readonly words: readonly PlacedWord[];
  /** Earlier ones that were left out. */
  readonly words_more: number;
  /** Steps that began and never ended. */
  readonly cutShort: readonly { readonly at_ms: number; readonly machine: string; readonly step: string }[];
  readonly clocks: readonly LinedUp[];
  /** What can't be told from these files, one sentence each. */
  readonly missing: readonly string[];
}
