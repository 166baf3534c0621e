import type { DiskEffects, Effects, UnitEffects } from "../../act/effects.ts";
import type { Verdict } from "../../decide/decide.ts";
import type { Facts } from "../../decide/facts.ts";
import { isFullVoter } from "../../decide/lineage.ts";
import { failed_starts_max } from "../../decide/rules-etcd.ts";
import type { Notes } from "./notes.ts";
import { withRoom } from "./room.ts";

/** What kept etcd from its start may be gone: a disk is free again, a setting is mended. Nobody tells, so it is tried. */
const start_again_ms = 60_000;
const join_again_ms_min = 1_000;
const join_again_ms_max = 60_000;

/** What is put off is a machine that waits, and an operator reads why: each rule that decides so has its page. */
const putOff: ReadonlySet<Verdict["decision"]["do"]> = new Set(["join-as-learner"]);

/**
 * The pace of what a machine tries again and again. The rules know no time: what they would do at each look is done at this pace,
 * for ever, and what they would never do again is tried once in a while where it costs nothing.
 */
export const paced = (effects: Effects, notes: Notes, free_bytes: () => number | undefined): Effects => ({
  ...effects,
  decide: (question, facts) => {
    if (question === "etcd") return effects.decide(question, withOneMore(facts, notes));
    const verdict = effects.decide(question, facts);
    if (question !== "start") return verdict;
    if (isFullVoter(facts.self)) notes.forget("joins");
    if (!putOff.has(verdict.decision.do)) return verdict;
    const due = whenDue(verdict, notes);
    return due === verdict ? withRoom(verdict, free_bytes()) : due;
  },
});

/**
 * The last failed start is forgotten after a while, for the question whether to start again and for no other: who asks whether
 * the peer may be switched off must know that nothing starts here. Where the data was given up this changes nothing.
 */
function withOneMore(facts: Facts, notes: Notes): Facts {
  const { etcd } = facts;
  if (etcd.failedStarts < failed_starts_max || notes.tries("failed-starts").ago_ms < start_again_ms)
    return facts;
  return { ...facts, etcd: { ...etcd, failedStarts: failed_starts_max - 1 } };
}

/** The first again is soon, and each one after that twice as late, up to a minute: each leaves half of a member's data behind. */
function whenDue(verdict: Verdict, notes: Notes): Verdict {
  const { count, ago_ms } = notes.tries("joins");
  if (ago_ms >= joinPause_ms(count)) return verdict;
  const so_far = count === 1 ? "the first try has" : `${count} tries have`;
  return {
    ...verdict,
    decision: { do: "wait" },
    sentence: `${verdict.sentence}; ${so_far} failed, the next follows after a pause: see \`journalctl -u duet-etcd\` for why, and \`df\` for a full disk`,
  };
}

export const joinPause_ms = (joins: number): number =>
  joins === 0 ? 0 : Math.min(join_again_ms_max, join_again_ms_min * 2 ** Math.min(joins - 1, 16));

/** A log that can't be synced is one that etcd could not write: it counts like a start that failed, and none is made. */
export const countingSyncs = (disk: DiskEffects, notes: Notes): DiskEffects => ({
  ...disk,
  syncLog: async (deadline_ms) => {
    const synced = await disk.syncLog(deadline_ms);
    if (!synced.ok) notes.noteStart(false);
    return synced;
  },
});

/**
 * A start that was refused, or could not even be tried, says nothing about the data. One that can't be ended, and so not be
 * started again, counts like one that does not start.
 */
export const counting = (
  unit: UnitEffects,
  notes: Notes,
  forgetStop: () => Promise<unknown>,
): UnitEffects => ({
  ...unit,
  stop: async (deadline_ms) => {
    const down = await unit.stop(deadline_ms);
    if (!down.ok && down.failure.kind === "deadline") notes.noteStart(false);
    return down;
  },
  start: async (how, deadline_ms) => {
    notes.forget("unread");
    const up = await unit.start(how, deadline_ms);
    if (!up.ok && up.failure.kind !== "failed" && up.failure.kind !== "deadline") return up;
    notes.noteStart(up.ok);
    if (how === "join") notes.count("joins");
    // What could not be stopped has ended since, and runs again: Pacemaker may forget it, or it would wait for a fence for ever.
    if (up.ok && notes.take("stop-failed")) await forgetStop();
    return up;
  },
});
