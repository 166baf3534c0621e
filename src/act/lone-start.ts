import { turns } from "../decide/race.ts";
import type { Effects } from "./effects.ts";
import { type Moment, proveOff } from "./off.ts";
import { type FenceFailed, ownFence } from "./own-fence.ts";
import { ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/**
 * At boot, with nobody heard: proves that the peer is off, and asks for quorum only if the rules then allow this machine to
 * serve. The agent decides once more before it starts anything: quorum alone is never enough.
 */
export async function* loneStart(effects: Effects, times: Times, fenceFailed?: FenceFailed): Steps {
  const { quorum } = effects;
  if (effects.decide("start", await effects.facts()).decision.do === "prove-off") {
    const proven = yield* ownFence(effects, proveUnheardOff(effects, times), fenceFailed);
    if (!proven.done) return proven;
  }
  const verdict = effects.decide("start", await effects.facts());
  const { do: deed } = verdict.decision;
  if (deed !== "take-over" && deed !== "resume-takeover" && deed !== "start-plain")
    return stopped(verdict.sentence);
  yield "ask for quorum";
  const granted = await quorum.grant(times.attribute_ms);
  if (!granted.ok) return given("quorum", granted.failure);
  for (let tries = 0; tries < times.tries_max; tries++) {
    yield "see that there is quorum";
    const status = await quorum.status();
    if (status.ok && status.value) return ended;
    await effects.pause(times.again_ms);
  }
  return stopped("quorum was granted and has not come");
}

/** Of a peer that was not heard in this boot: there is no loss to count a turn from. */
export async function* proveUnheardOff(effects: Effects, times: Times): Steps {
  const { quorum } = effects;
  const loss = await quorum.loss();
  if (!loss.ok) return given("the membership", loss.failure);
  if (loss.value === undefined) return stopped("the peer is here");
  const off = yield* proveOff(effects, times, (moment) => afterDelay(effects, times, moment));
  if (!off.ok) return given("the peer's Off", off.failure);
  yield "note that Off is proven";
  const noted = await quorum.noteOff(loss.value.ring, false);
  return noted.ok ? ended : given("the proof", noted.failure);
}

/**
 * The same delay as in the race, counted from here: while it waits the peer may come, or be the faster one. A way that is begun is
 * ended without a further one: half of the peer's supplies off is no state to wait in.
 */
async function* afterDelay(
  effects: Effects,
  times: Times,
  moment: Moment,
): AsyncGenerator<string, string | undefined, void> {
  const state = await effects.disk.readState();
  if (!state.ok) return state.failure.said;
  if (moment === "begin") {
    yield "wait this machine's fence delay";
    await effects.pause((state.value.turn ?? turns) * times.turn_ms);
  }
  const still = effects.decide("start", await effects.facts());
  return still.decision.do === "prove-off" ? undefined : still.sentence;
}
