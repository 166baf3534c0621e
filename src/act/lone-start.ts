import type { Effects } from "./effects.ts";
import { ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/**
 * At boot, with nobody heard: proves that the peer is off, and asks for quorum only if the rules then allow this machine to
 * serve. The agent decides once more before it starts anything: quorum alone is never enough.
 */
export async function* loneStart(effects: Effects, times: Times): Steps {
  const { bmc, quorum } = effects;
  if (effects.decide("start", await effects.facts()).decision.do === "prove-off") {
    yield "wait this machine's fence delay";
    await effects.pause(times.fence_delay_ms);
    // While it waited the peer may have come, or have been the faster one.
    const still = effects.decide("start", await effects.facts());
    if (still.decision.do !== "prove-off") return stopped(still.sentence);
    yield "command the peer's Off";
    const commanded = await bmc.commandOff(times.bmc_ms);
    if (!commanded.ok) return given("the peer's BMC", commanded.failure);
    const off = yield* readOff(effects, times);
    if (!off) return stopped("the peer's BMC took the command and does not read Off");
    yield "note that Off is proven";
    const noted = await quorum.noteOff();
    if (!noted.ok) return given("the proof", noted.failure);
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

async function* readOff(effects: Effects, times: Times): AsyncGenerator<string, boolean, void> {
  for (let tries = 0; tries < times.tries_max; tries++) {
    yield "read that the peer is off";
    const power = await effects.bmc.peerPower(times.bmc_ms);
    if (power.ok && power.value === "off") return true;
    await effects.pause(times.again_ms);
  }
  return false;
}
