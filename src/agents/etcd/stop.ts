import { perform } from "../../act/perform.ts";
import { type End, type Steps, stopped } from "../../act/steps.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Hands } from "../hands/effects.ts";
import { timer } from "../hands/outcome.ts";
import { leaveTimes } from "../hands/times.ts";
import { ocf, type Status } from "./ocf.ts";

/** For the leave; etcd's own stop comes after it. Both are within the stop's time-out (src/render/agent.ts). */
export const leave_budget_ms = 25_000;

export interface Stop {
  readonly hands: Pick<Hands, "effects" | "times" | "notes"> & {
    readonly recorder: Pick<Recorder, "step" | "stepsEnd">;
  };
  /** Ends the one-shot wherever it is: it is made for that. */
  readonly endWork: () => Promise<void>;
  /** No process of etcd's, and none on its way. */
  readonly isDown: () => Promise<boolean>;
  readonly say: (line: string) => void;
}

/** Leaves first where that is allowed, and stops in any case. */
export async function stopEtcd({ hands, endWork, isDown, say }: Stop): Promise<Status> {
  const { effects, notes, recorder } = hands;
  const times = leaveTimes(hands.times);
  notes.set("leaving");
  try {
    await endWork();
    if (!(await isDown())) {
      const left_ms = timer(leave_budget_ms);
      const { decision, sentence } = effects.decide("leave", await effects.facts());
      say(sentence);
      const steps = perform(effects, times, decision);
      if (steps !== undefined) recorder.stepsEnd(await within(steps, left_ms, recorder.step));
    }
    const down = await effects.unit.stop(times.etcd_stop_ms);
    if (!down.ok) {
      say(`etcd could not be stopped: ${down.failure.said}`);
      return ocf.failed;
    }
    notes.drop("started", "promoted");
    // Pacemaker forgets it with the instance anyway.
    await effects.attributes.score(undefined, times.attribute_ms);
    return ocf.success;
  } finally {
    notes.drop("leaving");
  }
}

/** To the end, or to the first step that would begin too late. */
export async function within(steps: Steps, left_ms: () => number, log: (step: string) => void): Promise<End> {
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
    if (left_ms() <= 1) {
      await steps.return(stopped(""));
      return stopped("there was no time left for more");
    }
    log(next.value);
  }
}
