import type { Facts } from "../decide/facts.ts";
import { isUnderWay } from "../decide/lineage.ts";
import type { BmcEffects, Effects, QuorumEffects } from "./effects.ts";
import { type End, ended, type Steps } from "./steps.ts";
import type { Times } from "./times.ts";

/** A BMC that is busy answers a little later. */
const tries_at_once = 8;
/**
 * A BMC that was without power boots for a minute or two, some for five. Later it is no longer asked: by then it may be an operator who
 * has the machine off.
 */
const owed_ms = 10 * 60_000;
const commands_max = 40;

/** What a machine keeps, for its boot, of an On that was commanded and not taken. */
export interface OwedOn {
  /** How often it was commanded, and how long ago the last time was; never: nothing is owed. */
  readonly tries: () => { readonly count: number; readonly ago_ms: number };
  readonly count: () => void;
  readonly forget: () => void;
}

/** Noted before it is done: one that is cut off there is owed too. */
export const notingOn = (bmc: BmcEffects, owed: OwedOn): BmcEffects => ({
  ...bmc,
  commandOn: async (deadline_ms) => {
    owed.count();
    const taken = await bmc.commandOn(deadline_ms);
    if (taken.ok) owed.forget();
    return taken;
  },
});

/** A peer that is here needs nothing; nor does one that left in order and went off: an operator who shut it down finds it off. */
async function isNotNeeded({ loss }: QuorumEffects): Promise<boolean> {
  const now = await loss();
  return now.ok && now.value?.wentOff !== false;
}

/** The last step of a takeover. May fail without harm. A peer that is on, or that gave up and lives, needs nothing. */
export async function* powerOn(
  { quorum, bmc, pause }: Effects,
  times: Times,
): AsyncGenerator<string, End, void> {
  for (let tries = 0; tries < tries_at_once; tries++) {
    if (await isNotNeeded(quorum)) return ended;
    yield "power the peer on";
    const power = await bmc.peerPower(times.bmc_ms);
    if (power.ok && (power.value === "on" || (await bmc.commandOn(times.bmc_ms)).ok)) return ended;
    await pause(4 * times.again_ms);
  }
  return ended;
}

/**
 * At a later look, where there is nothing else to do, by what it saw: outlets that were switched on feed a BMC that takes longer to
 * boot than anybody should wait for, and that leaves its machine off. So it costs a call only when the BMC is there.
 */
export async function* powerOnLater(
  { quorum, bmc }: Effects,
  times: Times,
  facts: Facts,
  owed: OwedOn,
): Steps {
  const { count, ago_ms } = owed.tries();
  if (count === 0) return ended;
  const isOver = count >= commands_max || ago_ms > owed_ms;
  if (isOver || facts.peer.seen === "now" || facts.peerPower === "on" || (await isNotNeeded(quorum))) {
    owed.forget();
    return ended;
  }
  if (facts.peerPower !== "off" || !isAlone(facts)) return ended;
  yield "power the peer on";
  await bmc.commandOn(times.bmc_ms);
  return ended;
}

/** This machine serves without it, and nobody is about to switch it off once more. */
const isAlone = ({ self, etcd, proof, fencePending }: Facts): boolean =>
  self.soleVoter && !isUnderWay(self) && etcd.running && etcd.leader && proof === "off" && !fencePending;
