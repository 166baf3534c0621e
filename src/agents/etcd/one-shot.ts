import type { FenceFailed } from "../../act/own-fence.ts";
import type { End } from "../../act/steps.ts";
import { work } from "../../act/work.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import type { Recorder } from "../../record/recorder.ts";
import type { Hands } from "../hands/effects.ts";

/** Then it is started anew, by whatever is next to look at: a machine that does something for ever does it in view. */
const rounds_max = 12;
/** News come in groups. */
const settle_ms = 20;
/** The peer's words send no event. While something is on its way between the two they are listened for, so long and so often. */
const listen_ms = 20_000;
const listen_again_ms = 300;
/** A fence wakes it as soon as Off is proven. So long it stays for that: to be started anew takes as long as a look. */
const fence_ms = 60_000;
/** Between tries of what fails again and again, unless there are news: the first pause, and the longest. */
const again_ms_min = 250;
const again_ms_max = 10_000;

export interface OneShot {
  readonly hands: Pick<Hands, "effects" | "times" | "notes" | "peerFirst"> & {
    readonly recorder: Pick<Recorder, "step" | "stepsEnd">;
  };
  /** What the peer says now, as it stands there; undefined: nothing, or nobody can tell. */
  readonly peerWord: () => Promise<string | undefined>;
  /** Both are whole, or the peer is not there: its next word comes with an event. */
  readonly atPeace: () => boolean;
  /** The peer is lost, and nothing can be done before its Off is proven. */
  readonly awaitsFence?: () => boolean;
  /** A stop that failed, of an etcd that nothing holds any more, is forgotten. */
  readonly forgetStop?: () => Promise<void>;
  /** For the record: what the journals tell. It takes a while, and is asked for only where nobody waits for this machine. */
  readonly tellMore?: () => Promise<void>;
  /** Told how what was begun ended. */
  readonly told?: (end: End) => void;
  /** Told why a fence failed that Pacemaker did not ask for. */
  readonly fenceFailed?: FenceFailed;
}

/** Looks until there is nothing to do. systemd keeps it the only one, and starts it again where it was woken in the meantime. */
export async function oneShot({
  hands,
  peerWord,
  atPeace,
  awaitsFence,
  forgetStop,
  tellMore,
  told,
  fenceFailed,
}: OneShot): Promise<void> {
  const { effects, times, recorder, notes, peerFirst } = hands;
  const wanted = () => notes.has("started") && !notes.has("leaving");
  const isWoken = () => notes.has("wake") || !wanted();
  let failures = 0;
  for (let round = 0; round < rounds_max && wanted(); round += 1) {
    await sleep(settle_ms);
    notes.drop("wake");
    await forgetStop?.();
    const repeat = notes.take("publish");
    const heard = await peerWord();
    const log = (step: string) => recorder.step(step);
    const ended = (end: End) => {
      recorder.stepsEnd(end);
      failures = end.done ? 0 : failures + 1;
      told?.(end);
    };
    /** Waits for another word of the peer's, or for a wake. */
    const isNews = async (wait_ms: number): Promise<boolean> => {
      for (const end_ms = now_ms() + wait_ms; now_ms() < end_ms; ) {
        if (isWoken() || (await peerWord()) !== heard) return true;
        await notes.until(isWoken, Math.max(1, Math.min(listen_again_ms, end_ms - now_ms())));
      }
      return false;
    };
    const again = await work(effects, times, { repeat, peerFirst, log, ended, fenceFailed });
    // Where it was not even begun, or something threw.
    recorder.stepsEnd();
    if (again && failures > 0) await isNews(pauseAfter_ms(failures));
    if (again || notes.has("wake")) continue;
    await forgetStop?.();
    await tellMore?.();
    // What is known is from before: to be at peace is another look's to say.
    if (notes.has("wake")) continue;
    if (awaitsFence?.() === true) {
      await notes.until(isWoken, fence_ms);
      if (notes.has("wake")) continue;
    }
    if (atPeace() || !(await isNews(listen_ms))) return;
  }
}

export const pauseAfter_ms = (failures: number): number =>
  Math.min(again_ms_max, again_ms_min * 2 ** Math.min(failures - 1, 16));
