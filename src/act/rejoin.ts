import { epochSpent, saysWhatItServes } from "../decide/lineage.ts";
import { dropIdleMask, keepUnforced, startOnLog } from "./alone.ts";
import type { Effects } from "./effects.ts";
import { promoteLearner } from "./full.ts";
import { publishFacts } from "./publish.ts";
import { anyState, changeState, given, readableState, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/** Joins the serving peer with empty hands; data that is there is moved aside first, never deleted. */
export async function* rejoin(effects: Effects, times: Times): Steps {
  const { disk, unit, members } = effects;
  yield "stop etcd";
  const down = await unit.stop(times.etcd_stop_ms);
  if (!down.ok) return given("etcd", down.failure);
  // Of an own takeover that was cut short before its etcd ran alone, and whose data was given up since.
  const unforced = yield* keepUnforced(effects);
  if (!unforced.ok) return given("the force flag", unforced.failure);
  // Seen serving in this very moment: with the data aside there is no way back.
  const seen = await members.list("peer", times.etcd_call_ms);
  if (!seen.ok) return given("the peer's etcd", seen.failure);

  const readable = yield* readableState(effects);
  if (!readable.ok) return given("duet's file", readable.failure);
  yield "write that this machine is not full";
  const poor = await changeState(effects, anyState, (state) => ({ ...state, full: false }));
  if (!poor.ok) return given("duet's file", poor.failure);
  yield "move the data aside";
  const aside = await disk.moveAside(times.disk_ms);
  if (!aside.ok) return given("the data", aside.failure);

  const facts = await effects.facts();
  const { me, self, peer } = facts;
  if (!saysWhatItServes(facts)) return stopped("the peer has not said yet whose data it serves now");
  const theirs = peer.seen === "now" ? peer.facts : undefined;
  const lineage = theirs?.lineage;
  if (theirs === undefined || lineage === undefined)
    return stopped("the peer is gone: this machine joins when it is back");
  // An epoch that the peer has noted as void must never be used by this machine, even if a new disk forgot about it.
  // Nor one that it served by, and gave up because somebody chose the peer's data: a tag or a backup may still name that.
  const own = self.lineage?.owner === me && self.lineage.epoch > lineage.epoch ? self.lineage.epoch : 0;
  const spent = Math.max(epochSpent(self), self.takeover?.epoch ?? 0, theirs.settled.theirs, own);
  yield "write whose data this will be";
  const joined = await changeState(effects, anyState, (state) => ({
    ...state,
    lineage,
    full: false,
    left: false,
    surrendered: undefined,
    bump: undefined,
    takeover: spent === 0 ? undefined : { step: "abandoned", epoch: spent },
  }));
  if (!joined.ok) return given("duet's file", joined.failure);

  yield "tell the peer";
  await publishFacts(effects, times);
  yield "be added as a learner";
  const added = await members.addLearner(times.etcd_call_ms);
  if (!added.ok) return given("the learner", added.failure);
  yield "let etcd start";
  const unmasked = await unit.setMasked(false);
  if (!unmasked.ok) return given("etcd", unmasked.failure);
  yield "start etcd";
  const up = await unit.start("join", times.etcd_start_ms);
  if (!up.ok) return given("etcd", up.failure);
  return yield* promoteLearner(effects, times);
}

/** A learner with its data goes on. */
export async function* follow(effects: Effects, times: Times): Steps {
  const { unit } = effects;
  yield "end what is left of etcd";
  const down = await unit.stop(times.etcd_stop_ms);
  if (!down.ok) return given("etcd", down.failure);
  const unforced = yield* keepUnforced(effects);
  if (!unforced.ok) return given("the force flag", unforced.failure);
  const free = yield* dropIdleMask(effects);
  if (!free.ok) return given("etcd", free.failure);
  const up = yield* startOnLog(effects, times);
  if (!up.ok) return given("etcd", up.failure);
  return yield* promoteLearner(effects, times);
}
