import { nameOf } from "../agents/names.ts";
import type { Cell } from "../kernel/trace.ts";

/** Whose line it is: a machine's, or of what lies between them: faults, wires, BMCs, clients. */
export type Lane = 0 | 1 | "between";

export type Sort =
  | "fault"
  | "mended"
  | "power"
  | "membership"
  | "fence"
  | "rule"
  | "step"
  | "etcd"
  | "pacemaker"
  | "bmc"
  | "wire"
  | "writes"
  | "violation"
  | "other";

/** 0 is never left out, 1 makes the story, 2 and 3 explain it, 4 is for those who look closer. */
export type Level = 0 | 1 | 2 | 3 | 4;
export const closer = 4;

/** One thing that happened, or a run of them, in words. */
export interface Moment {
  readonly at_us: number;
  /** The end of a run of folded lines. */
  readonly until_us?: number;
  readonly lane: Lane;
  readonly sort: Sort;
  readonly level: Level;
  /** The kind of the trace line that it was made of. */
  readonly kind: string;
  /** The machine whose BMC, outlet or port it is, where it happens between the machines. */
  readonly about?: number;
  readonly text: string;
  /** The rule that decided. */
  readonly rule?: string;
  /** What was folded into this one, or stands behind it. */
  readonly more?: readonly string[];
}

/** A write that a client was told is done. */
export interface Ack {
  readonly at_us: number;
  readonly machine: number;
}

/** A cell of the trace that holds a machine, by number or by name. */
export const laneOf = (cell: Cell): 0 | 1 => (cell === 0 || cell === nameOf(0) ? 0 : 1);

export const peerOf = (lane: 0 | 1): 0 | 1 => (lane === 0 ? 1 : 0);

export const laneName = (lane: Lane): string => (lane === "between" ? lane : nameOf(lane));
