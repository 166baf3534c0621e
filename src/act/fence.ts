import { mayServe } from "../decide/decide.ts";
import type { Facts } from "../decide/facts.ts";
import { turns, type Turn, untilTurn_ms } from "../decide/race.ts";
import type { Effects, Loss, Outcome } from "./effects.ts";
import { failed } from "./effects.ts";
import { proveOff } from "./off.ts";
import { ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/**
 * One fence, for one loss: refused where this machine may not take over, commanded in this machine's turn of the race, and a
 * success only when Off was read after the loss was seen. A peer that is back is another story.
 */
export async function* fencePeer(effects: Effects, times: Times): Steps {
  const state = await effects.disk.readState();
  if (!state.ok) return given("duet's file", state.failure);
  const { turn } = state.value;
  if (turn === undefined) return stopped("this machine has no turn in the race: it has not been whole yet");
  const begun = await effects.quorum.loss();
  if (!begun.ok) return given("the membership", begun.failure);
  const facts = await effects.facts();
  const verdict = effects.decide("fence", facts);
  if (verdict.decision.do !== "may-fence") return stopped(verdict.sentence);

  // Read after this very loss, by the guard or by an earlier try: there is nothing more to prove.
  if (facts.proof === "off") return ended;

  const left = !facts.fencePending && begun.value !== undefined;
  const wentOff = left && (yield* goesOff(effects, times, facts.peerPower));
  const power = wentOff ? "off" : facts.peerPower;
  const off = yield* proveOff(effects, times, () => turnComes(effects, times, turn, begun.value, power));
  if (!off.ok) {
    // An admin has seen that it is off, no BMC has to say so, and this machine serves on that word. The membership must still be the
    // one that it is for. A fence that only the word ends would never be tried again.
    const now = await effects.quorum.loss();
    const same = now.ok && now.value?.ring === begun.value?.ring;
    const taken =
      same && facts.word.peerDown && mayServe(effects.decide("takeover", await effects.facts()).decision);
    return taken ? ended : given("the fence", off.failure);
  }
  const noted = yield* noteOff(effects, times, begun.value, wentOff);
  if (!noted.ok) return given("the proof", noted.failure);
  // Who serves alone already has no takeover before it, whose last step this would be.
  const now = await effects.disk.readState();
  const tookOver =
    now.ok && now.value.lineage?.epoch !== facts.self.lineage?.epoch && now.value.takeover === undefined;
  if (!wentOff && (tookOver || (facts.self.soleVoter && facts.etcd.running && facts.etcd.leader))) {
    yield "power the peer on";
    await effects.bmc.commandOn(times.bmc_ms);
    // A slow BMC takes its time, and the peer may be back by now. Pacemaker would count a member as fenced, and that member leaves.
    const last = await effects.quorum.loss();
    const lost = begun.value !== undefined;
    if (lost && last.ok && last.value?.ring !== begun.value.ring)
      return stopped("the peer is back, and is not off");
  }
  return ended;
}

/** A peer that left in order is on its way off, or boots again. True: it went off by itself, as somebody wanted it. */
async function* goesOff(
  { bmc, pause }: Effects,
  { bmc_ms, bmc_call_ms, again_ms, goodbye_ms }: Times,
  power: Facts["peerPower"],
): AsyncGenerator<string, boolean, void> {
  if (power === "off") return true;
  const pause_ms = 4 * again_ms;
  for (let waited_ms = 0; waited_ms < goodbye_ms; waited_ms += pause_ms) {
    yield "wait for the peer that left to go off";
    const now = await bmc.peerPower(bmc_ms);
    if (now.ok && now.value === "off") return true;
    // Its silence took that long, too.
    if (!now.ok) waited_ms += bmc_call_ms;
    await pause(pause_ms);
  }
  return false;
}

/**
 * Waits for this machine's turn. A peer that reads Off is no rival, and one that can't stop its etcd but is still a member does
 * not race. Who can't tell how long ago the loss was lets a whole round pass, in which the other's turn comes. A power that a
 * hurried look could not read is read with patience in the time that is waited anyway.
 */
async function* turnComes(
  { quorum, bmc, pause }: Effects,
  { turn_ms, bmc_ms }: Times,
  turn: Turn,
  begun: Loss | undefined,
  power: Facts["peerPower"],
): AsyncGenerator<string, string | undefined, void> {
  let alreadyOff = power === "off";
  let unread = power === "unreadable";
  for (let waits = 0; waits <= turns; ) {
    const loss = await quorum.loss();
    if (!loss.ok) return loss.failure.said;
    if (loss.value?.ring !== begun?.ring)
      return "the membership has changed: this fence was for another loss";
    if (loss.value === undefined || alreadyOff) return undefined;
    const { since_ms } = loss.value;
    if (since_ms === undefined && waits > 0) return undefined;
    const wait_ms = since_ms === undefined ? turns * turn_ms : untilTurn_ms(since_ms, turn, turn_ms);
    if (wait_ms === 0) return undefined;
    yield "wait for this machine's turn";
    if (unread) {
      unread = false;
      const now = await bmc.peerPower(Math.min(bmc_ms, wait_ms));
      alreadyOff = now.ok && now.value === "off";
    } else {
      await pause(wait_ms);
      waits++;
    }
  }
  return "this machine's turn did not come";
}

/** A peer that was still a member must be seen lost first: Off is a proof for a loss. */
async function* noteOff(
  { quorum, bmc, pause }: Effects,
  times: Times,
  begun: Loss | undefined,
  wentOff: boolean,
): AsyncGenerator<string, Outcome, void> {
  if (begun !== undefined) {
    yield "note that Off is proven";
    return await quorum.noteOff(begun.ring, wentOff);
  }
  for (let tries = 0; tries < times.tries_max; tries++) {
    yield "see that the peer is lost";
    const loss = await quorum.loss();
    if (loss.ok && loss.value !== undefined) {
      const power = await bmc.peerPower(times.bmc_ms);
      if (power.ok && power.value === "off") return await quorum.noteOff(loss.value.ring, false);
    }
    await pause(times.again_ms);
  }
  return failed("deadline", "the peer reads Off, and is still a member");
}
