import type { Decision } from "../decide/decision.ts";
import type { Facts } from "../decide/facts.ts";
import type { TableName } from "../decide/rules.ts";

/** The format of the files; a reader that does not know it reads nothing. */
export const format = 1;

/** When and by whom an entry was written. */
export interface Stamp {
  /** The wall clock, for people. It may jump: no time is ever computed from it where `mono_ms` will do. */
  readonly at: string;
  /** On a clock that does not jump, the same for all processes of one boot. */
  readonly mono_ms: number;
  readonly boot: string;
  readonly machine: string;
  /** duet's version. */
  readonly duet: string;
  /** Which part of duet: `agent`, `fence`, `guard`, and so on. */
  readonly by: string;
  readonly pid: number;
}

export const event_names = [
  /** By Corosync's journal: a membership was formed: `ring`, `peer` (is it in it). */
  "membership",
  /** By Corosync's journal: for `waited_ms` no token had come round. */
  "token lost",
  /** By Pacemaker's journal: `what` it saw, asked for or ordered, and `of` which machine. */
  "pacemaker",
  /** `ring` and `ago_ms` where Corosync told it; `silent_ms`: so long before that had the peer been silent. */
  "peer lost",
  "peer left",
  "peer back",
  "fence asked",
  "off commanded",
  /** `went_off`: it had left in order, and gone off by itself. */
  "off confirmed",
  "fence failed",
  /** The peer was heard again in the very boot in which it was lost, though its Off was read (in `ring`): it ran on. */
  "false off",
  "takeover begins",
  /** The point of no return: from here on clients may have been answered. */
  "may have served",
  /** A linearizable read shows this machine as the only member: from here on writes are answered. */
  "serves alone",
  "takeover ends",
  "first write served",
  "peer powered on",
  "learner added",
  "learner caught up",
  "full",
  "not full",
  "1+1",
  "etcd started",
  "etcd stopped",
  "left",
  "surrendered",
  /** Told from outside, by who did it or saw it: `machine` has lost its power, or its wires. */
  "lost",
  /** A person's word: `who`, `said`, what was `shown` before it was said, and its `outcome`, with `code` and `why` of an error. */
  "admin",
] as const;
export type EventName = (typeof event_names)[number];

/** Small and flat, so that nothing is taken along that nobody looked at. */
export type Detail = Readonly<Record<string, string | number | boolean>>;

/** What was asked, from which facts, and what was decided by which rule: enough to decide it once more. */
export interface DecisionBody {
  readonly kind: "decision";
  readonly question: TableName;
  readonly rule: string;
  readonly path: readonly string[];
  readonly decision: Decision;
  readonly sentence: string;
  readonly facts: Facts;
}

/** The last decision on this question was made so many times more, the last time `for_ms` after the first. */
export interface AgainBody {
  readonly kind: "again";
  readonly question: TableName;
  readonly rule: string;
  readonly count: number;
  readonly for_ms: number;
}

/** A step that begins and never ends was cut short. `outcome` is `ok`, or what went wrong in it. */
export type StepBody =
  | { readonly kind: "step"; readonly step: string; readonly edge: "begin" }
  | {
      readonly kind: "step";
      readonly step: string;
      readonly edge: "end";
      readonly took_ms: number;
      readonly outcome: string;
    };

export interface EventBody {
  readonly kind: "event";
  readonly event: EventName;
  readonly detail: Detail;
}

export type Body = DecisionBody | AgainBody | StepBody | EventBody;
export type Entry = Stamp & Body;

/** Where an entry was read. */
export interface Place {
  readonly file: string;
  readonly line: number;
}
export type Told<B extends Body = Body> = Stamp & B & Place;
