import type { Effects } from "./effects.ts";
import { publishFacts } from "./publish.ts";
import { changeState, ended, given, readableState, type Steps } from "./steps.ts";
import type { Times } from "./times.ts";

/** The own data is given up, for good: stopped, masked and on disk before the peer hears of it, since the peer acts on it. */
export async function* surrender(effects: Effects, times: Times, epoch: number): Steps {
  const { unit } = effects;
  yield "stop etcd";
  const down = await unit.stop(times.etcd_stop_ms);
  if (!down.ok) {
    // The peer can't serve before this is done, and it can't be done here.
    yield "call for the fence of this machine";
    await unit.callForFence();
    return given("etcd", down.failure);
  }
  yield "let nobody start etcd";
  const masked = await unit.setMasked(true);
  if (!masked.ok) return given("etcd", masked.failure);
  const readable = yield* readableState(effects);
  if (!readable.ok) return given("duet's file", readable.failure);
  yield "write that the data is given up";
  const state = await changeState(
    effects,
    ({ takeover }) => takeover?.step !== "intent",
    (was) => ({ ...was, surrendered: Math.max(epoch, was.surrendered ?? 0) }),
  );
  if (!state.ok) return given("duet's file", state.failure);
  yield "tell the peer";
  const told = await publishFacts(effects, times);
  return told.ok ? ended : given("the peer", told.failure);
}
