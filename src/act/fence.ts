import { mayServe } from "../decide/decide.ts";
import type { Facts } from "../decide/facts.ts";
import { isUnderWay } from "../decide/lineage.ts";
import { turns, type Turn, untilTurn_ms } from "../decide/race.ts";
import type { Effects, Failure, Loss, Outcome } from "./effects.ts";
import { failed } from "./effects.ts";
import { proveOff } from "./off.ts";
import { ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/** For whoever waits for the proof: the takeover need not wait for what else a fence has to do. */
export type Proven = () => void;

/**
 * One fence, for one loss: refused where this machine may not take over, commanded in this machine's turn of the race, and a
 * success only when Off was read after the loss was seen. A peer that is back is another story.
 */
export async function* fencePeer(effects: Effects, times: Times, proven: Proven = () => {}): Steps {
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
  if (facts.proof === "off") {
    proven();
    return ended;
  }

  const left = !facts.fencePending && begun.value !== undefined;
  const wentOff = left && (yield* goesOff(effects, times, begun.value, facts.peerPower));
  const rival: Rival = {
    power: wentOff ? "off" : facts.peerPower,
    doubted: begun.value?.doubted === true,
    shownOff: wentOff || facts.peerPower === "off",
  };
  const asked: Asked = { fresh: !left };
  const off = yield* proveOff(effects, times, (moment) => {
    if (moment === "shows off") rival.shownOff = true;
    const power = moment === "shows off" ? "off" : rival.power;
    return turnComes(
      effects,
      times,
      turn,
      begun.value,
      { power, rival },
      moment === "go on" ? undefined : asked,
    );
  });
  if (!off.ok) {
    const doubts = rival.shownOff && isDoubt(off.failure.kind);
    if (doubts && begun.value !== undefined) await effects.quorum.noteDoubt(begun.value.ring);
    // What another fence of this loss has proven meanwhile need not be proven twice.
    //
    // An admin has seen that it is off, no BMC has to say so, and this machine serves on that word. The membership must still be the
    // one that it is for. A fence that only the word ends would never be tried again.
    const now = await effects.quorum.loss();
    const same = now.ok && now.value?.ring === begun.value?.ring;
    if (same && now.value?.proven === true) {
      proven();
      return ended;
    }
    const taken =
      same && facts.word.peerDown && mayServe(effects.decide("takeover", await effects.facts()).decision);
    if (!taken) return given("the fence", off.failure);
    proven();
    return ended;
  }
  const noted = yield* noteOff(effects, times, begun.value, wentOff);
  if (!noted.ok) return given("the proof", noted.failure);
  proven();
  // Who serves alone already has no takeover before it, whose last step this would be.
  const now = await effects.disk.readState();
  const tookOver = now.ok && now.value.lineage?.epoch !== facts.self.lineage?.epoch;
  const inTakeover = now.ok && isUnderWay(now.value);
  if (!wentOff && !inTakeover && (tookOver || (await servesAlone(effects)))) {
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

/** As it is now: a takeover on an admin's word may have come and gone since the fence began. */
async function servesAlone(effects: Effects): Promise<boolean> {
  const { self, etcd } = await effects.own();
  // The last step of one that is under way is to power the peer on, and none before it.
  return self.soleVoter && !isUnderWay(self) && etcd.running && etcd.leader;
}

/** A peer that left in order is on its way off, or boots again. True: it went off by itself, as somebody wanted it. */
async function* goesOff(
  { bmc, quorum, pause }: Effects,
  { bmc_ms, bmc_call_ms, again_ms, goodbye_ms }: Times,
  begun: Loss | undefined,
  power: Facts["peerPower"],
): AsyncGenerator<string, boolean, void> {
  if (power === "off") return true;
  const pause_ms = 4 * again_ms;
  for (let waited_ms = 0; waited_ms < goodbye_ms; waited_ms += pause_ms) {
    // One that is back waits for a word of this machine.
    const loss = await quorum.loss();
    if (loss.ok && (loss.value?.ring !== begun?.ring || loss.value?.proven === true)) return false;
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
 * Who shows Off is no rival, and is commanded with no wait; but not where that was tried in vain in this membership: a BMC that can't see its
 * machine shows Off, too, and this machine would command in the other's turn.
 */
interface Rival {
  /** As it was read when the fence was asked for. */
  readonly power: Facts["peerPower"];
  readonly doubted: boolean;
  /** By any look of this try. */
  shownOff: boolean;
}

/** A command that was never there, or was not sent, says nothing about who shows Off. */
const isDoubt = (kind: Failure["kind"]): boolean => kind !== "unreachable" && kind !== "changed";

const unread_looks_max = 5;

/** What allowed the fence, and whether nobody has waited since. */
interface Asked {
  fresh: boolean;
}

/**
 * Waits for this machine's turn, and asks once more where it has waited: etcd here may have failed since, or the data have been given up, and a
 * peer that is switched off then is switched off for nobody. Not between the switches of one way: half of the peer's supplies off
 * is no state to wait in.
 *
 * A peer that reads Off is no rival, and one that can't stop its etcd but is still a member does
 * not race. Who can't tell how long ago the loss was lets a whole round pass, in which the other's turn comes, and then waits for its own. A power that a
 * hurried look could not read is read with patience in the time that is waited anyway.
 */
async function* turnComes(
  effects: Effects,
  { turn_ms, bmc_ms, again_ms }: Times,
  turn: Turn,
  begun: Loss | undefined,
  { power, rival }: { readonly power: Facts["peerPower"]; readonly rival: Rival },
  asked: Asked | undefined,
): AsyncGenerator<string, string | undefined, void> {
  const { quorum, bmc, pause } = effects;
  let isOff = power === "off";
  let unread = power === "unreadable";
  const whole_ms = turns * turn_ms;
  let unread_looks = 0;
  for (let waited_ms = 0; waited_ms <= whole_ms * (turns + 1); ) {
    const loss = await quorum.loss();
    unread_looks = loss.ok ? 0 : unread_looks + 1;
    if (!loss.ok) {
      // On a busy machine one look fails, and the next does not.
      if (unread_looks > unread_looks_max) return loss.failure.said;
      await pause(again_ms);
      waited_ms += again_ms;
      continue;
    }
    if (loss.value?.ring !== begun?.ring)
      return "the membership has changed: this fence was for another loss";
    if (loss.value?.proven === true) return "Off was proven meanwhile, by another fence";
    const isRival = rival.doubted || !isOff;
    const wait_ms = loss.value !== undefined && isRival ? waitOf_ms(loss.value, turn, turn_ms, waited_ms) : 0;
    if (wait_ms === 0) {
      if (asked?.fresh !== false) {
        if (asked !== undefined) asked.fresh = false;
        return undefined;
      }
      const still = effects.decide("fence", await effects.facts());
      if (still.decision.do !== "may-fence") return still.sentence;
      // That took time: is it still this machine's turn?
      asked.fresh = true;
      continue;
    }
    if (asked !== undefined) asked.fresh = false;
    yield "wait for this machine's turn";
    if (unread) {
      unread = false;
      const now = await bmc.peerPower(Math.min(bmc_ms, wait_ms));
      isOff = now.ok && now.value === "off";
      rival.shownOff ||= isOff;
    } else {
      // A peer that is back waits for a word of this machine.
      const pause_ms = Math.min(wait_ms, 4 * again_ms);
      await pause(pause_ms);
      waited_ms += pause_ms;
    }
  }
  return "this machine's turn did not come";
}

/** Who can't tell how long ago the loss was has waited for a whole round and its own turn, or has to: two that can't tell are a turn apart, too. */
function waitOf_ms({ since_ms }: Loss, turn: Turn, turn_ms: number, waited_ms: number): number {
  if (since_ms !== undefined) return untilTurn_ms(since_ms, turn, turn_ms);
  return Math.max(0, (turns + turn) * turn_ms - waited_ms);
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
