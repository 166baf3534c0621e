import type { Verdict } from "../decide/decide.ts";
import type { Decision } from "../decide/decision.ts";
import type { Effects } from "./effects.ts";
import { publishFacts } from "./publish.ts";
import { anyState, changeState, ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

type Left = () => number;
/** What is begun with less could not be ended: etcd turns a removal down until its members were connected for five seconds. */
const leave_ms_min = 8_000;

/**
 * A planned leave. etcd checks "the last voter" before it proposes a removal and not when it applies it, so two leaves at once
 * would leave nobody: each machine says that it leaves before it looks whether the other does, so at least one of them sees it.
 * The removal goes through the peer, and the peer is seen as the only voter before this etcd stops: a leader that removes itself
 * would stay leader for a second and answer alone.
 */
export async function* leave(effects: Effects, times: Times, left_ms: Left = () => Infinity): Steps {
  const { members, unit } = effects;
  yield "say that this machine leaves";
  const said = await publishFacts(effects, times, true);
  if (!said.ok) return given("the peer can't be told", said.failure);
  const verdict = yield* withLeader(effects, times);
  if (verdict.decision.do !== "leave") return stopped(verdict.sentence);
  if (left_ms() < leave_ms_min)
    return stopped("there is too little time left to be removed: this machine stays a member");

  yield "write that this machine leaves";
  const state = await changeState(effects, anyState, (was) => ({ ...was, left: true, full: false }));
  if (!state.ok) return given("duet's file", state.failure);
  for (let tries = 0; tries < times.tries_max; tries++) {
    yield "see the peer as the only voter";
    const left = await members.list("peer", times.etcd_call_ms);
    if (left.ok && left.value.length === 1 && left.value[0]?.machine === "peer") {
      // Heard as a voter to its end, it would be in the way of a peer that starts its etcd anew, and be switched off for that.
      yield "say that this machine has left";
      await publishFacts(effects, times, true);
      yield "stop etcd";
      const down = await unit.stop(times.etcd_stop_ms);
      return down.ok ? ended : given("etcd", down.failure);
    }
    const mine = left.ok ? left.value.find(({ machine }) => machine === "self") : undefined;
    if (mine !== undefined) {
      // Each time: an election may have brought it back.
      yield "move the leader to the peer";
      const moved = await members.moveLeader(times.etcd_call_ms);
      if (moved.ok) {
        // etcd turns a removal down until its members were connected for five seconds: it is asked for again.
        yield "be removed through the peer";
        await members.remove(mine.id, "peer", times.etcd_call_ms);
      }
    }
    await effects.pause(times.again_ms);
  }
  return stopped("no linearizable read at the peer shows it as the only voter: this machine stays a member");
}

/**
 * A moment without a leader, as behind a slow sync, is waited out: who stops without a leave takes the quorum along, and its peer serves
 * nothing until it is off or back.
 */
async function* withLeader(effects: Effects, times: Times): AsyncGenerator<string, Verdict, void> {
  for (let tries = 1; ; tries++) {
    const verdict = effects.decide("leave", await effects.facts());
    if (verdict.decision.do !== "wait" || tries >= times.tries_max) return verdict;
    yield "wait for a leader";
    await effects.pause(times.again_ms);
  }
}

/** What comes before a stop, by the table of leaves. It waits before it says that it leaves: a peer that hears that starts no etcd. */
export async function* leaveFirst(effects: Effects, times: Times, decision: Decision, left_ms?: Left): Steps {
  if (decision.do === "stop") return yield* stopOnly(effects, times);
  if (decision.do === "wait") {
    const verdict = yield* withLeader(effects, times);
    if (verdict.decision.do !== "leave") return stopped(verdict.sentence);
  }
  return yield* leave(effects, times, left_ms);
}

/** Stops, and stays a member. */
export async function* stopOnly(effects: Effects, times: Times): Steps {
  yield "stop etcd";
  const down = await effects.unit.stop(times.etcd_stop_ms);
  return down.ok ? ended : given("etcd", down.failure);
}
