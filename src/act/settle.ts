import type { Settled } from "../decide/facts.ts";
import type { Effects } from "./effects.ts";
import { publishFacts } from "./publish.ts";
import { changeState, ended, given, type Steps } from "./steps.ts";
import type { Times } from "./times.ts";

/** The own intent came to nothing. From here on its epoch is spent: the peer may count on it that it never serves. */
export async function* abandon(effects: Effects, times: Times, epoch: number): Steps {
  yield "write that the intent is given up";
  const state = await changeState(
    effects,
    ({ takeover }) => takeover?.epoch === epoch && takeover.step !== "served",
    (was) => ({ ...was, takeover: { step: "abandoned", epoch } }),
  );
  if (!state.ok) return given("duet's file", state.failure);
  yield "tell the peer";
  const told = await publishFacts(effects, times);
  return told.ok ? ended : given("the peer", told.failure);
}

/** Tags of takeovers that never served no longer stand in anybody's way. */
export async function* settle(effects: Effects, times: Times, settled: Settled): Steps {
  yield "write which tags stand for nothing";
  const state = await changeState(
    effects,
    ({ takeover }) => takeover?.step !== "intent",
    (was) => ({
      ...was,
      settled: {
        mine: Math.max(was.settled.mine, settled.mine),
        theirs: Math.max(was.settled.theirs, settled.theirs),
      },
    }),
  );
  if (!state.ok) return given("duet's file", state.failure);
  yield "tell the peer";
  const told = await publishFacts(effects, times);
  return told.ok ? ended : given("the peer", told.failure);
}
