import type { Effects } from "../../act/effects.ts";
import { publishFacts } from "../../act/publish.ts";
import type { Times } from "../../act/times.ts";
import { now_ms } from "../../machine/clock.ts";
import type { Note } from "../hands/notes.ts";

const times_default = {
  /** A machine that is to run something is told so before. */
  stopped_ms: 6_000,
  /** At boot Pacemaker comes up after Corosync: so long, and so often, is it tried. */
  tell_ms: 120_000,
  again_ms: 3_000,
};

export interface Stopped {
  readonly notes: {
    readonly has: (note: Note) => boolean;
    readonly until: (isSo: () => boolean, within_ms: number) => Promise<void>;
  };
  readonly hands: () => Promise<{
    readonly effects: Effects;
    readonly times: Times;
    /** The peer is a member of Corosync's. */
    readonly isPeerHere: () => Promise<boolean>;
  }>;
  /** Replaced by tests. */
  readonly times?: typeof times_default;
}

/**
 * On standby Pacemaker runs nothing here, and yet the peer must learn what this machine holds: one that comes back waits for that
 * before it serves (R-NO-FACTS). Said anew in each membership, which is what wakes this.
 */
export async function tellWhileStopped({
  notes,
  hands,
  times: wait = times_default,
}: Stopped): Promise<void> {
  const isOver = () => notes.has("started") || notes.has("leaving") || notes.has("wake");
  await notes.until(isOver, wait.stopped_ms);
  if (isOver()) return;
  const { effects, times, isPeerHere } = await hands();
  for (const end_ms = now_ms() + wait.tell_ms; now_ms() < end_ms && !isOver(); ) {
    if (!(await isPeerHere())) return;
    const said = await publishFacts(effects, times);
    if (said.ok) return;
    await notes.until(isOver, wait.again_ms);
  }
}
