import type { Effects, Outcome } from "./effects.ts";
import { failed } from "./effects.ts";
import { publishFacts } from "./publish.ts";
import { changeState, type End, ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/** A learner asks to become a voter until the leader says yes; etcd says no while the learner is behind. */
export async function* promoteLearner(effects: Effects, times: Times): Steps {
  const { members, quorum } = effects;
  let silent = 0;
  for (let tries = 0; tries < times.promotion_tries_max; tries++) {
    // A voter that does not run would take the leader its quorum.
    const up = await effects.unit.isRunning();
    if (!up.ok || !up.value) return stopped("etcd ended while it caught up");
    const loss = await quorum.loss();
    if (loss.ok && loss.value !== undefined) return stopped("the peer was lost while this machine caught up");
    yield "ask for promotion";
    const promoted = await members.promote(times.etcd_call_ms);
    if (promoted.ok) return yield* becomeFull(effects, times);
    // Promoted before, and the answer was lost: then the leader's list shows a voter.
    if ((await isVoterByLeader(effects, times)).ok) return yield* becomeFull(effects, times);
    // A peer whose etcd does not answer may wait for a word of this machine, which says nothing while it asks.
    silent = (await isLearnerByPeer(effects, times)) ? 0 : silent + 1;
    if (silent >= times.tries_max)
      return stopped("the peer's etcd does not answer, or does not know this learner any more");
    await effects.pause(times.again_ms);
  }
  return stopped("the leader has not promoted this learner yet: it still catches up");
}

/**
 * A voter by its own log is not yet full: the leader acknowledges alone until it applies the promotion. So first the leader's
 * own answer or list shows this voter, then a write that is proposed after that comes back. It stands in this machine's log
 * behind everything that the leader ever acknowledged alone.
 */
export async function* becomeFull(effects: Effects, times: Times): Steps {
  for (let tries = 0; tries < times.tries_max; tries++) {
    // A peer that is lost, and one that comes back, wait for a word of this machine, which says nothing while it is here.
    const loss = await effects.quorum.loss();
    if (loss.ok && loss.value !== undefined) return stopped("the peer was lost before this machine was full");
    yield "see this voter in the leader's list";
    const voter = await isVoterByLeader(effects, times);
    if (voter.ok) return yield* markFull(effects, times);
    await effects.pause(times.again_ms);
  }
  return stopped("no linearizable read shows this machine as a voter yet");
}

async function* markFull(effects: Effects, times: Times): AsyncGenerator<string, End, void> {
  yield "write the marker";
  const marker = await effects.members.writeMarker(times.etcd_call_ms);
  if (!marker.ok) return given("the marker", marker.failure);
  yield "write that this machine is full";
  const full = await changeState(
    effects,
    ({ lineage, surrendered }) => lineage !== undefined && surrendered === undefined,
    (state) => ({ ...state, full: true, left: false }),
  );
  if (!full.ok) return given("duet's file", full.failure);
  yield "tell the peer";
  await publishFacts(effects, times);
  return ended;
}

async function isLearnerByPeer({ members }: Effects, times: Times): Promise<boolean> {
  const list = await members.list("peer", times.etcd_call_ms);
  return list.ok && list.value.some(({ machine, role }) => machine === "self" && role === "learner");
}

/**
 * A linearizable read at a follower shows what the follower has applied, and the leader may be behind it: until the leader has
 * applied the promotion it still acknowledges alone. So where the peer leads, it is the peer's own list that counts.
 */
async function isVoterByLeader({ members }: Effects, times: Times): Promise<Outcome> {
  const here = await members.list("self", times.etcd_call_ms);
  if (!here.ok) return here;
  const peerLeads = here.value.some(({ machine, leader }) => machine === "peer" && leader);
  const led = peerLeads ? await members.list("peer", times.etcd_call_ms) : here;
  if (!led.ok) return led;
  const voter = [here, led].every(({ value }) =>
    value.some(({ machine, role }) => machine === "self" && role === "voter"),
  );
  return voter
    ? { ok: true, value: undefined }
    : failed("refused", "the leader does not list this machine as a voter");
}
