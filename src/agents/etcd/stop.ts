import { leaveFirst } from "../../act/leave.ts";
import { type End, type Steps, stopped } from "../../act/steps.ts";
import type { Facts } from "../../decide/facts.ts";
import { inTime } from "../../machine/clock.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Hands } from "../hands/effects.ts";
import { timer } from "../hands/outcome.ts";
import { leaveTimes } from "../hands/times.ts";
import { ocf, type Status } from "./ocf.ts";

/**
 * `leave_ms`: for the picture of the world and the leave. `lastStep_ms`: a step that began just in time is waited for so long; the
 * longest is etcd's own stop. That comes once more after it, and all is within the stop's time-out (src/render/policy.ts).
 */
export const stop_budget = { leave_ms: 25_000, lastStep_ms: 6_000 } as const;

export interface Stop {
  readonly hands: Pick<Hands, "effects" | "times" | "notes"> & {
    readonly recorder: Pick<Recorder, "step" | "stepsEnd">;
  };
  /** Ends the one-shot wherever it is: it is made for that. */
  readonly endWork: () => Promise<void>;
  /** No process of etcd's, and none on its way. */
  readonly isDown: () => Promise<boolean>;
  /** Why the data can't be given up: etcd has ended then, and only a fence tells the peer so. */
  readonly hindrance: () => Promise<string | undefined>;
  /** From now on Pacemaker runs nothing here, and the guard sees to what comes of that: a lone survivor's Corosync may have ended. */
  readonly callGuard: () => Promise<void>;
  readonly say: (line: string) => void;
  readonly budget?: { readonly leave_ms: number; readonly lastStep_ms: number };
}

/** Leaves first where that is allowed, and stops in any case. */
export async function stopEtcd(stop: Stop): Promise<Status> {
  const { hands, endWork, isDown, say } = stop;
  const { effects, notes } = hands;
  const times = leaveTimes(hands.times);
  notes.set("leaving");
  try {
    await endWork();
    // A stop that is killed says nothing, and Pacemaker asks nothing of a machine whose stop failed: who is woken now waits for this one's end.
    notes.set("wake");
    // Whatever is the matter with the leave: who does not stop is fenced.
    if (!(await isDown()))
      await leaveInTime(stop).catch((error: unknown) => say(`etcd stays a member: ${String(error)}`));
    const down = await effects.unit.stop(times.etcd_stop_ms);
    const why = down.ok ? await stop.hindrance() : `etcd could not be stopped: ${down.failure.said}`;
    if (why !== undefined) {
      say(why);
      notes.set("stop-failed");
      return ocf.failed;
    }
    notes.drop("started", "promoted", "stop-failed");
    await stop.callGuard();
    // Pacemaker forgets it with the instance anyway.
    await effects.attributes.score(undefined, times.attribute_ms);
    return ocf.success;
  } catch (error) {
    notes.set("stop-failed");
    throw error;
  } finally {
    notes.drop("leaving");
  }
}

const too_late = "there was no time left for more";

/** What hangs is left behind: a machine without quorum asks BMCs that may be silent, and an overrun is answered by a fence. */
async function leaveInTime({ hands, say, budget = stop_budget }: Stop): Promise<void> {
  const { effects, recorder } = hands;
  const left_ms = timer(budget.leave_ms);
  const facts = await inTime<Facts | undefined>(effects.facts(), left_ms(), () => undefined);
  if (facts === undefined) return say("what the world is like was not seen in time: etcd stays a member");
  const { decision, sentence } = effects.decide("leave", facts);
  say(sentence);
  const going = within(
    leaveFirst(effects, leaveTimes(hands.times), decision, left_ms),
    left_ms,
    recorder.step,
  );
  recorder.stepsEnd(await inTime<End>(going, left_ms() + budget.lastStep_ms, () => stopped(too_late)));
}

/** To the end, or to the first step that would begin too late. */
export async function within(steps: Steps, left_ms: () => number, log: (step: string) => void): Promise<End> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
    if (left_ms() <= 1) {
      await steps.return(stopped(""));
      return stopped(too_late);
    }
    log(next.value);
  }
}
