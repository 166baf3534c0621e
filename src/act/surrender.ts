import type { Effects, Failure } from "./effects.ts";
import { publishFacts } from "./publish.ts";
import { changeState, type End, ended, given, readableState, type Steps } from "./steps.ts";
import type { Times } from "./times.ts";

/** The own data is given up, for good: stopped, masked and on disk before the peer hears of it, since the peer acts on it. */
export async function* surrender(effects: Effects, times: Times, epoch: number): Steps {
  const { unit } = effects;
  yield "stop etcd";
  const down = await unit.stop(times.etcd_stop_ms);
  if (!down.ok) {
    // The peer can't serve before this is done, and it can't be done here.
    yield "call for the fence of this machine";
    await unit.callForFence("held");
    return given("etcd", down.failure);
  }
  yield "let nobody start etcd";
  const masked = await unit.setMasked(true);
  if (!masked.ok) return yield* unwritten(effects, masked.failure);
  const readable = yield* readableState(effects);
  if (!readable.ok) return yield* unwritten(effects, readable.failure);
  yield "write that the data is given up";
  const state = await changeState(
    effects,
    ({ takeover }) => takeover?.step !== "intent",
    (was) => ({ ...was, surrendered: Math.max(epoch, was.surrendered ?? 0) }),
  );
  if (!state.ok) return yield* unwritten(effects, state.failure);
  yield "tell the peer";
  const told = await publishFacts(effects, times);
  return told.ok ? ended : given("the peer", told.failure);
}

/** A disk that takes nothing, as one that turned read-only after an error: what is not on it, the peer must not be told. */
async function* unwritten({ unit }: Effects, failure: Failure): AsyncGenerator<string, End, void> {
  // Somebody else wrote: the next try finds what.
  if (failure.kind !== "changed") {
    yield "call for the fence of this machine";
    await unit.callForFence("unwritten");
  }
  return given("what says that the data is given up", failure);
}
