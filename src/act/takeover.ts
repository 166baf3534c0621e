import { acceptedEpoch, beginsAfterLoss, mayGoOn } from "../decide/lineage.ts";
import type { Bmc, Effects, Outcome } from "./effects.ts";
import { failed } from "./effects.ts";
import { publishFacts } from "./publish.ts";
import { startOnLog } from "./start.ts";
import { anyState, changeState, type End, ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/**
 * The survivor becomes a cluster of one. The order is the whole point:
 * the intent comes before the tag, so that a tag always has an owner who knows of it;
 * the tag before `served`, so that no machine serves which a stale peer could not find out about;
 * `served` before the forced start, so that a crash after it never looks like one before it;
 * and the peer's power comes last, so that it never boots into a half-done takeover.
 */
export async function* takeOver(effects: Effects, times: Times, epoch: number): Steps {
  const before = await effects.disk.readState();
  if (!before.ok) return given("duet's file", before.failure);
  if (before.value.takeover?.step === "served") {
    // Of an own takeover that was cut short: from here on nobody would know that the flag is still there.
    yield "drop a force flag that was left";
    const dropped = await effects.unit.dropForceFlag();
    if (!dropped.ok) return given("the force flag", dropped.failure);
  }
  yield "write the intent";
  const intent = await changeState(
    effects,
    // An own takeover that was cut short is left behind by a later one: what it served is in the log.
    ({ takeover }) => takeover?.step !== "served" || takeover.epoch < epoch,
    (state) => ({ ...state, takeover: { step: "intent", epoch } }),
  );
  if (!intent.ok) return given("the intent", intent.failure);

  const { me, witness } = effects.site;
  const lineage = { epoch, owner: me };
  if (witness !== "off") {
    let written = 0;
    for (const bmc of ["mine", "theirs"] as const) {
      yield `write the tag of ${bmc === "mine" ? "the own BMC" : "the peer's BMC"}`;
      // One is enough to serve: the second is not waited for long, and written later where it does not answer.
      const patience_ms = written === 0 ? times.tag_ms : times.second_tag_ms;
      const tag = await effects.bmc.raiseTag(bmc, lineage, patience_ms);
      if (tag.ok && tag.value === "higher") return stopped(higher(bmc));
      if (tag.ok) written++;
    }
    if (written === 0) return stopped("neither BMC took the tag: nothing is served until one does");
  }

  yield "write that it may have served";
  const now = await effects.facts();
  if (!mayGoOn(now)) return stopped("the peer was seen again, or its Off is no longer proven");
  const theirs = beginsAfterLoss(epoch) ? acceptedEpoch(now) : 0;
  const served = await changeState(
    effects,
    ({ takeover }) => takeover?.step === "intent" && takeover.epoch === epoch,
    (state) => ({
      ...state,
      lineage,
      takeover: { step: "served", epoch },
      surrendered: undefined,
      left: false,
      settled: { ...state.settled, theirs: Math.max(theirs, state.settled.theirs) },
    }),
  );
  if (!served.ok) return given("duet's file", served.failure);
  return yield* serveAlone(effects, times);
}

const higher = (bmc: Bmc): string =>
  `the tag of ${bmc === "mine" ? "the own BMC" : "the peer's BMC"} is higher by now: another takeover came first`;

/** From `served` on: also where a takeover was cut short there. */
export async function* serveAlone(effects: Effects, times: Times): Steps {
  const { unit } = effects;
  const up = yield* forceAlone(effects, times);
  if (!up.ok) return given("etcd alone", up.failure);
  const alone = yield* seeAlone(effects, times);
  if (!alone.ok) return given("etcd alone", alone.failure);

  yield "drop the force flag";
  const dropped = await unit.dropForceFlag();
  if (!dropped.ok) return given("the force flag", dropped.failure);

  yield "write that the takeover is finished";
  const finished = await changeState(effects, anyState, (state) => ({
    ...state,
    takeover: undefined,
    full: true,
  }));
  if (!finished.ok) return given("duet's file", finished.failure);

  yield "tell the peer's side";
  await publishFacts(effects, times);
  return yield* powerOn(effects, times);
}

/** etcd is up, forced only where its log still knows the peer. */
async function* forceAlone(effects: Effects, times: Times): AsyncGenerator<string, Outcome, void> {
  const { unit, disk } = effects;
  yield "stop etcd";
  // Without a leader it would wait for one before it goes, and nobody writes until it has gone.
  const down = await unit.end(times.etcd_stop_ms);
  if (!down.ok) return down;
  const log = await disk.inspect();
  if (!log.ok) return log;
  const ready = yield* log.value.soleVoter ? keepUnforced(effects) : prepareForce(effects, times);
  if (!ready.ok) return ready;
  yield "let etcd start";
  const unmasked = await unit.setMasked(false);
  if (!unmasked.ok) return unmasked;
  // Forced before, it may have been killed just now while it served; a log that was just committed is synced.
  if (log.value.soleVoter) return yield* startOnLog(effects, times);
  yield "start etcd";
  return await unit.start("with its data", times.etcd_start_ms);
}

/** A flag that an earlier run left would force a new cluster again. */
async function* keepUnforced({ unit }: Effects): AsyncGenerator<string, Outcome, void> {
  yield "drop a force flag that was left";
  return await unit.dropForceFlag();
}

async function* prepareForce({ unit, disk }: Effects, times: Times): AsyncGenerator<string, Outcome, void> {
  const state = await disk.readState();
  if (!state.ok) return state;
  yield "keep the log as it is";
  const kept = await disk.keepWal(state.value.lineage?.epoch ?? 0, times.disk_ms);
  if (!kept.ok) return kept;
  yield "commit the log";
  const committed = await disk.commitLog(times.disk_ms);
  if (!committed.ok) return committed;
  yield "set the force flag";
  return await unit.setForceFlag();
}

/** By a linearizable read: one voter, which is this machine. Other members are ghosts that older etcds leave. */
async function* seeAlone(effects: Effects, times: Times): AsyncGenerator<string, Outcome, void> {
  for (let tries = 0; tries < times.tries_max; tries++) {
    yield "read the members";
    const members = await effects.members.list("self", times.etcd_call_ms);
    if (members.ok) {
      const others = members.value.filter(({ machine }) => machine !== "self");
      if (others.length === 0) return { ok: true, value: undefined };
      if (others.some(({ role }) => role === "voter"))
        return failed("refused", "the peer is still a voter of this cluster");
      for (const { id } of others) {
        yield `remove the ghost ${id}`;
        await effects.members.remove(id, "self", times.etcd_call_ms);
      }
    } else await effects.pause(times.again_ms);
  }
  return failed("deadline", "a linearizable read did not show this machine as the only member");
}

/** A BMC that was without power, or is busy, answers a little later. */
const power_on_tries = 8;

/** May fail without harm. A peer that is on, or that gave up and lives, needs nothing. */
async function* powerOn({ quorum, bmc, pause }: Effects, times: Times): AsyncGenerator<string, End, void> {
  for (let tries = 0; tries < power_on_tries; tries++) {
    const loss = await quorum.loss();
    // It is here; or it left in order and went off by itself: an operator who shut it down finds it off.
    if (loss.ok && loss.value?.wentOff !== false) return ended;
    yield "power the peer on";
    const power = await bmc.peerPower(times.bmc_ms);
    if (power.ok && (power.value === "on" || (await bmc.commandOn(times.bmc_ms)).ok)) return ended;
    await pause(4 * times.again_ms);
  }
  return ended;
}
