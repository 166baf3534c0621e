import type { EventName, Told } from "../../../src/record/entry.ts";
import { longestGap } from "../failover/acks.ts";

/** Moments are milliseconds since the epoch: the box has one clock for all. Undefined: the record does not tell. */

export interface LoneParts {
  readonly whole_ms: number;
  /** Until the guard decides for the first time: the boot, and its patience for a peer that boots too. */
  readonly boot_ms: number | undefined;
  /** Until the peer's Off is proven. */
  readonly off_ms: number | undefined;
  /** Until there is quorum. */
  readonly quorum_ms: number | undefined;
  /** Until Pacemaker orders the start: it has seen the quorum, and probed what runs. */
  readonly order_ms: number | undefined;
  /** Until the takeover begins: the agent's start, its one-shot's begin, and the look. */
  readonly look_ms: number | undefined;
  /** Until etcd is up: the takeover's steps before that. */
  readonly takeover_ms: number | undefined;
  /** Until a write was acknowledged. */
  readonly write_ms: number;
}

const isEvent =
  (name: EventName) =>
  (entry: Told): boolean =>
    entry.kind === "event" && entry.event === name;
/** What is told later, from a journal, says how long ago it was. */
function momentOf(entry: Told): number {
  const ago_ms = entry.kind === "event" ? Number(entry.detail["ago_ms"] ?? 0) : 0;
  return Date.parse(entry.at) - (Number.isFinite(ago_ms) ? ago_ms : 0);
}

/** Pacemaker's own word, read from its journal when nothing else is left to do. */
const isStartOrdered = (entry: Told): boolean =>
  entry.kind === "event" &&
  entry.event === "pacemaker" &&
  entry.detail["what"] === "start" &&
  entry.detail["of"] === entry.machine;

/** By what this machine has recorded since it was powered on. */
export function loneParts(entries: readonly Told[], on_ms: number, write_ms: number): LoneParts {
  const since = entries.filter((entry) => momentOf(entry) >= on_ms && momentOf(entry) <= write_ms);
  const moments = [
    since.find(({ kind, by }) => kind === "decision" && by === "guard"),
    since.find(isEvent("off confirmed")),
    since.find(
      (entry) => entry.kind === "step" && entry.edge === "end" && entry.step === "see that there is quorum",
    ),
    since.find(isStartOrdered),
    since.find(isEvent("takeover begins")),
    since.find(isEvent("etcd started")),
  ].map((entry) => entry && momentOf(entry));
  let before_ms = on_ms;
  const parts = moments.map((at_ms) => {
    if (at_ms === undefined || at_ms < before_ms) return undefined;
    const took_ms = at_ms - before_ms;
    before_ms = at_ms;
    return took_ms;
  });
  const [boot_ms, off_ms, quorum_ms, order_ms, look_ms, takeover_ms] = parts;
  return {
    whole_ms: write_ms - on_ms,
    boot_ms,
    off_ms,
    quorum_ms,
    order_ms,
    look_ms,
    takeover_ms,
    write_ms: write_ms - before_ms,
  };
}

/** Where a machine that reboots by plan was, by its own record. */
export interface RebootMoments {
  /** Its etcd has stopped: it has left. */
  readonly left_ms: number | undefined;
  /** Its etcd is up again, as a learner. */
  readonly started_ms: number | undefined;
}

export function rebootMoments(entries: readonly Told[], asked_ms: number): RebootMoments {
  const since = entries.filter(({ at }) => Date.parse(at) >= asked_ms);
  const left = since.find(isEvent("etcd stopped"));
  const started = since.find(
    (entry) => isEvent("etcd started")(entry) && left !== undefined && entry.boot !== left.boot,
  );
  return { left_ms: left && momentOf(left), started_ms: started && momentOf(started) };
}

/** The longest time between two acknowledged writes in each part of a planned reboot; undefined: the record does not tell where it ends. */
export interface RebootGaps {
  readonly leave_ms: number | undefined;
  readonly away_ms: number | undefined;
  readonly rejoin_ms: number | undefined;
}

export function rebootGaps(
  acks: readonly number[],
  asked_ms: number,
  { left_ms, started_ms }: RebootMoments,
  end_ms: number,
): RebootGaps {
  const gapIn = (from_ms: number | undefined, until_ms: number | undefined) => {
    if (from_ms === undefined || until_ms === undefined) return undefined;
    const gap = longestGap(acks, from_ms, until_ms);
    return gap === undefined ? undefined : gap.end_ms - gap.begin_ms;
  };
  return {
    leave_ms: gapIn(asked_ms, left_ms),
    away_ms: gapIn(left_ms, started_ms),
    rejoin_ms: gapIn(started_ms, end_ms),
  };
}
