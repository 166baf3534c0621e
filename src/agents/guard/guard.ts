import type { Effects } from "../../act/effects.ts";
import { type GuardLook, guardLook } from "../../act/guard.ts";
import type { FenceFailed } from "../../act/own-fence.ts";
import type { End } from "../../act/steps.ts";
import type { Verdict } from "../../decide/decide.ts";
import { now_ms as monotonic_ms } from "../../machine/clock.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Hands } from "../hands/effects.ts";

/** A peer that boots at the same time is given so long. */
const patience_ms = 15_000;
const again_ms = 10_000;

export interface Guard {
  readonly hands: Pick<Hands, "effects" | "times"> & {
    readonly recorder: Pick<Recorder, "step" | "stepsEnd">;
  };
  readonly me: string;
  readonly peerName: string;
  /** Pacemaker has started duet's resource here: from now on the agent speaks and acts for itself. */
  readonly isStarted: () => boolean;
  /** Replaced by tests. */
  readonly now_ms?: () => number;
  /** For the console and the journal. */
  readonly say: (line: string) => void;
  /** So long at most: sooner where somebody has said something, or the resource was started. */
  readonly pause: (ms: number) => Promise<void>;
  /** How a lone start ended that the rules allow. */
  readonly told: (end: End) => void;
  /** Told why the peer could not be proven off. */
  readonly fenceFailed?: FenceFailed;
  /** Nobody serves here, for one and the same reason, for so long that a person should know. */
  readonly call: (verdict: Verdict) => void;
}

/** Longer than a peer takes to boot, and a wire to be plugged in again. */
const call_ms = 300_000;

/**
 * A machine that booted without its peer runs nothing, and nothing of Pacemaker's says why. This does, for as long as the peer is
 * away, and starts the machine alone where the rules allow it. It grants quorum and no more: the agent decides once more.
 */
export async function guard(given: Guard): Promise<void> {
  const { hands, me, peerName, isStarted, say, pause, told, call, now_ms = monotonic_ms } = given;
  const { effects, times, recorder } = hands;
  const announcer = announcing(me, peerName, effects, say);
  if (!isStarted())
    say(`${me} runs nothing yet: it waits ${patience_ms / 1000} s for ${peerName}, which may boot too`);
  let last = "";
  let waits: { readonly rule: string; readonly since_ms: number; readonly called: boolean } | undefined;
  for (let pause_ms = patience_ms; ; pause_ms = again_ms) {
    await pause(pause_ms);
    if (isStarted()) return;
    const log = (step: string): void => {
      announcer.begins();
      recorder.step(step);
    };
    const look = await guardLook(announcer.effects, times, log, given.fenceFailed);
    recorder.stepsEnd(look?.end);
    announcer.ended(look?.verdict);
    // What is said of a machine that was started meanwhile is not so any more.
    if (look === undefined || isStarted()) {
      waits = undefined;
      continue;
    }
    const line = lineOf(me, peerName, look);
    if (line !== last) say(line);
    last = line;
    const { verdict, end } = look;
    if (end !== undefined && (end.done || end.why !== verdict.sentence)) told(end);
    if (waits?.rule !== verdict.rule) waits = { rule: verdict.rule, since_ms: now_ms(), called: false };
    if (waits.called || now_ms() - waits.since_ms < call_ms) continue;
    call(verdict);
    waits = { ...waits, called: true };
  }
}

/**
 * A lone start takes as long as this machine's turn and the peer's BMC do. Who stands before it reads what it is about when it begins,
 * not only how it ended; and once, however often it is tried.
 */
function announcing(me: string, peerName: string, effects: Effects, say: Guard["say"]) {
  let decided: Verdict | undefined;
  let announced = "";
  return {
    effects: {
      ...effects,
      decide: (question, facts) => {
        const verdict = effects.decide(question, facts);
        if (question === "start") decided = verdict;
        return verdict;
      },
    } satisfies Effects,
    begins: (): void => {
      if (decided?.decision.do !== "prove-off") return;
      const line = `${me} makes sure that ${peerName} is off, and then starts without it. ${reasonOf(decided)}`;
      if (line !== announced) say(line);
      announced = line;
    },
    ended: (verdict: Verdict | undefined): void => {
      if (verdict?.decision.do !== "prove-off") announced = "";
    },
  };
}

const reasonOf = ({ rule, sentence }: Verdict): string => `${rule}: ${sentence}`;

function lineOf(me: string, peerName: string, { quorate, verdict, end }: GuardLook): string {
  const reason = reasonOf(verdict);
  if (end?.done === true) return `${me} starts without ${peerName}: quorum is granted. ${reason}`;
  const waits = quorate
    ? `${me} has quorum, and Pacemaker starts nothing before ${peerName} is fenced, nor on standby or in maintenance (\`duet status\`)`
    : `${me} runs nothing and waits for ${peerName}`;
  const more = end === undefined || end.why === verdict.sentence ? "" : `; tried again, since ${end.why}`;
  return `${waits}. ${reason}${more}`;
}
