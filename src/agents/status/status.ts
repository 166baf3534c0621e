import type { Problem } from "../../base/problem.ts";
import type { Lineage } from "../../decide/facts.ts";
import type { Proof } from "../proof/kept.ts";
import type { AlertSight, Fence, Known, Report, Saying } from "./report.ts";

/** What is put together to one screen. */
export interface Views {
  readonly site: string;
  /** The two names, in the order of the site file. */
  readonly machines: readonly string[];
  /** Those that no outlet can be switched off for. */
  readonly noOutlet: readonly string[];
  /** Who asks: a machine's name, or undefined for an operator elsewhere. */
  readonly from: string | undefined;
  readonly at_ms: number;
  /** What each machine told, or why it told nothing. */
  readonly reports: Readonly<Record<string, Known<Report>>>;
  /** As the BMCs say it. */
  readonly power: Readonly<Record<string, Known<string>>>;
}

export interface MachineStatus {
  readonly name: string;
  readonly reported: Known<true>;
  readonly power: Known<string>;
  readonly corosync: Known<"member" | "alone" | "no quorum" | "not a member">;
  /** `online`, `offline`, `standby`, `unclean`, `pending`, `shutdown`, `maintenance`. */
  readonly pacemaker: Known<string>;
  readonly etcd: Known<EtcdStatus>;
  readonly lineage: Known<Lineage | null>;
  readonly full: Known<boolean>;
  /** What its agent went by at its last look, and how long ago by its own clock. */
  readonly says: Known<(Saying & { readonly ago_ms: number | null }) | null>;
  readonly duet: string | null;
  /** What Pacemaker runs there; null: nobody could tell. */
  readonly runs: readonly string[] | null;
  /** Another one with each boot; null: it did not tell itself. */
  readonly boot: string | null;
}

export interface EtcdStatus {
  readonly role: "leader" | "voter" | "learner" | "down";
  /** It has a leader, be it itself. */
  readonly led: boolean;
  /** It answers a linearizable read. */
  readonly serves: boolean;
  /** What runs; where nothing does, what would. */
  readonly version: string | null;
  /** What its cluster works by; null: it does not run, or does not tell. */
  readonly cluster: string | null;
  /** What its next start would run; null: nobody can tell. */
  readonly installed: string | null;
}

export interface FencingStatus {
  readonly by: string;
  readonly target: string;
  /** In its harmless form: logged in to each way to the target's power and read it, again and again, since then. */
  readonly proven: Known<{ readonly since_ms: number; readonly every_s: number } | null>;
  readonly why: string;
  /** The last time that it was done for real and Off was read; null: not in the record. */
  readonly lastOff_ms: Known<number | null>;
  /** The last harmless test, by hand or by the timer; null: none yet. */
  readonly test: Known<Proof | null>;
}

export interface ApiStatus {
  /** The virtual IP; null: the site has a load balancer. */
  readonly address: string | null;
  /** The machine that has it; null of the value: none. */
  readonly on: Known<string | null> | null;
  readonly answers: readonly {
    readonly name: string;
    readonly ready: Known<{
      readonly ready: boolean;
      readonly why: string;
      /** Of its own checks, those that fail, where it told them. */
      readonly checks: readonly string[];
    }>;
  }[];
}

export interface Learner {
  readonly machine: string;
  /** Entries of the log; null: it does not tell yet. */
  readonly index: number | null;
  readonly of: number | null;
  /** Of the peer's database, while it is copied; null: nothing is, or only the learner itself could tell. */
  readonly bytes: number | null;
  readonly of_bytes: number | null;
}

export interface Wrong extends Problem {
  /** In duet's documents, below docs/errors; `duet page CODE` prints it. */
  readonly page: string;
}

export type Whole = "1+1" | "1+0" | "0" | "unknown";

export interface Status {
  readonly site: string;
  readonly from: string | null;
  readonly at_ms: number;
  readonly whole: Whole;
  /** What that means here, in words. */
  readonly sentence: string;
  /** A person has asked Pacemaker to start, stop and watch nothing. */
  readonly maintenance: boolean;
  readonly serves: readonly string[];
  readonly leader: string | null;
  readonly lineage: Lineage | null;
  readonly machines: readonly MachineStatus[];
  readonly learner: Learner | null;
  readonly fencing: readonly FencingStatus[];
  readonly lastFence: Known<Fence | null>;
  /** Machines that nobody can prove off if their power feed is lost, and with it their BMC. */
  readonly noOutlet: readonly string[];
  /** Why a lone machine of this site needs a human to start; null: it does not, or nobody that was asked knows. */
  readonly alone: string | null;
  /** By machine, of those that told: how telling people went. Null: the site tells nobody. */
  readonly alerts: Readonly<Record<string, AlertSight | null>>;
  /** The API servers; null: the site has none of duet's, or nobody that was asked knows. */
  readonly api: ApiStatus | null;
  readonly wrong: readonly Wrong[];
}

/** 0: all is well. 3: nobody could be asked. Everything else is 1. */
export function exitOf({ whole, wrong, machines, fencing }: Status): 0 | 1 | 3 {
  if (machines.every(({ reported }) => !reported.known)) return 3;
  const proven = fencing.every((each) => each.proven.known && each.proven.value !== null);
  return whole === "1+1" && proven && wrong.length === 0 ? 0 : 1;
}
