import type { Effects } from "../../act/effects.ts";
import { fencePeer } from "../../act/fence.ts";
import { ownFence } from "../../act/own-fence.ts";
import { runSteps } from "../../act/steps.ts";
import { fail } from "../../base/problem.ts";
import { supposeOff } from "../../decide/decide.ts";
import type { Facts, Word } from "../../decide/facts.ts";
import type { Hands } from "../hands/effects.ts";

/** By what the peer is known to be gone. */
export type Gone = "Off is proven" | "the admin's word";

/**
 * The facts as they will be when the peer has been switched off; as they are where nobody answers who could do that. A look is
 * hurried, and a slow BMC seems silent to it: here it is given its time.
 */
export async function onceOff(
  { effects, times }: Pick<Hands, "effects" | "times">,
  facts: Facts,
): Promise<Facts> {
  const answers = facts.peerPower !== "unreadable" || (await effects.bmc.peerPower(times.bmc_ms)).ok;
  return answers ? supposeOff(facts) : facts;
}

/**
 * Before a word is taken: where the peer's power can be read, the peer is switched off by the fence's own steps, in this machine's
 * turn, and a BMC that goes on saying On is not overruled. Where nobody answers the word is all there is. `once`: by `onceOff`.
 */
export async function seeOff(
  {
    effects,
    times,
    recorder,
    fenceFailed,
  }: Pick<Hands, "effects" | "times"> & {
    readonly fenceFailed?: Hands["fenceFailed"];
    readonly recorder: Pick<Hands["recorder"], "step" | "stepsEnd">;
  },
  { facts, once }: { readonly facts: Facts; readonly once: Facts },
  word: Word,
  say: (step: string) => void,
): Promise<Gone> {
  if (facts.proof === "off") return "Off is proven";
  if (once.proof !== "off") return "the admin's word";
  const steps = fencePeer(supposing(effects, word), times);
  const end = await runSteps(ownFence(effects, steps, fenceFailed), (step) => {
    recorder.step(step);
    say(step);
  });
  recorder.stepsEnd(end);
  const now = await effects.facts();
  if (now.proof === "off") return "Off is proven";
  if (now.peer.seen === "now")
    fail(
      "DUET-E-CONFIRM-PEER-HERE",
      now.peerName,
      "it is back, so there is nothing to confirm",
      "`duet status` shows how the two go on",
    );
  const why = end.done ? "it was commanded Off, and does not read Off" : end.why;
  if (now.peerPower === "on" || now.peerPower === "off")
    fail(
      "DUET-E-CONFIRM-STILL-ON",
      now.peerName,
      `its BMC answers and says ${now.peerPower === "on" ? "On" : "Off"}, and it could not be switched off: ${why}`,
      "try again; if the BMC is wrong, pull the plug of the machine and of its BMC: a word counts only where no BMC answers",
    );
  return "the admin's word";
}

/** The same world, as it is with this word in it. */
const supposing = (effects: Effects, word: Word): Effects => ({
  ...effects,
  facts: async () => ({ ...(await effects.facts()), word }),
});
