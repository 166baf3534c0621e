import type { Door, Effects, LogFacts, Outcome, StartKind } from "./effects.ts";
import { failed, success } from "./effects.ts";
import type { Times } from "./times.ts";

type WithData = Extract<StartKind, "with its data" | "closed">;

/** `forced`: its log knows the peer, and the start takes it out. `alone`: its log knows nobody else, and nothing is forced. */
export type Ready = "forced" | "unforced" | "alone";

/** etcd is up, forced only where its log still knows the peer. */
export async function* forceAlone(effects: Effects, times: Times): AsyncGenerator<string, Outcome, void> {
  const ready = yield* prepareAlone(effects, times);
  return ready.ok ? yield* startAlone(effects, times, "with its data", ready.value) : ready;
}

/** Whether its log still knows the peer; the log and the flag are as `startAlone` needs them. */
export async function* prepareAlone(
  effects: Effects,
  times: Times,
): AsyncGenerator<string, Outcome<Ready>, void> {
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
  if (!log.value.soleVoter) return success("forced");
  return success(votesAlone(log.value) ? "alone" : "unforced");
}

export async function* startAlone(
  effects: Effects,
  times: Times,
  how: WithData,
  ready: Ready,
): AsyncGenerator<string, Outcome, void> {
  // Forced before, it may have been killed just now while it served; a log that was just committed is synced.
  const up = yield* ready === "forced" ? startSynced(effects, times, how) : startOnLog(effects, times, how);
  if (up.ok && ready !== "unforced") yield* electNow(effects, times, how === "closed" ? "inside" : "self");
  return up;
}

async function* startSynced(
  { unit }: Effects,
  times: Times,
  how: WithData,
): AsyncGenerator<string, Outcome, void> {
  yield "start etcd";
  return await unit.start(how, times.etcd_start_ms);
}

/**
 * Also by what it does not know to be committed: the promotion of a learner may be the last entry, and from when it is applied the
 * peer has a vote.
 */
export const votesAlone = ({ soleVoter, others }: Pick<LogFacts, "soleVoter" | "others">): boolean =>
  soleVoter && others === "";

/**
 * Who votes alone waits for nobody's vote, and yet etcd lets its election time-out pass first: one to two seconds in which nobody is
 * served. Where it can't be told, it elects itself when that has passed: a failure is written into the record, and nothing comes of it.
 */
export async function* electNow(
  { members }: Effects,
  times: Times,
  at: Door,
): AsyncGenerator<string, void, void> {
  yield "begin the election";
  await members.elect(at, times.elect_ms);
}

/** A flag that an earlier run left would force a new cluster again. */
export async function* keepUnforced({ unit }: Effects): AsyncGenerator<string, Outcome, void> {
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
export async function* seeAlone(
  effects: Effects,
  times: Times,
  door: Door,
): AsyncGenerator<string, Outcome, void> {
  for (let tries = 0; tries < times.tries_max; tries++) {
    yield "read the members";
    const members = await effects.members.list(door, times.etcd_call_ms);
    if (members.ok) {
      const others = members.value.filter(({ machine }) => machine !== "self");
      if (others.length === 0) return { ok: true, value: undefined };
      if (others.some(({ role }) => role === "voter"))
        return failed("refused", "the peer is still a voter of this cluster");
      for (const { id } of others) {
        yield `remove the ghost ${id}`;
        await effects.members.remove(id, door, times.etcd_call_ms);
      }
    } else await effects.pause(times.again_ms);
  }
  return failed("deadline", "a linearizable read did not show this machine as the only member");
}

/**
 * A surrender that was cut off after its mask and before it was written is none: nobody was told, and the rules start etcd again. One
 * that was written stays.
 */
export async function* dropIdleMask({ unit, disk }: Effects): AsyncGenerator<string, Outcome, void> {
  const state = await disk.readState();
  if (!state.ok) return state;
  if (state.value.surrendered !== undefined) return failed("changed", "the data was given up meanwhile");
  yield "let etcd start";
  return await unit.setMasked(false);
}

/**
 * An etcd that was killed leaves the end of its log in the memory of the system. The next one takes it for synced, applies it to its
 * database, and syncs that: with the power cut then, the database would hold more than the log, and could never be started again.
 */
export async function* startOnLog(
  effects: Effects,
  times: Times,
  how: WithData = "with its data",
): AsyncGenerator<string, Outcome, void> {
  yield "sync the log";
  const synced = await effects.disk.syncLog(times.disk_ms);
  if (!synced.ok) return synced;
  yield "start etcd";
  return await effects.unit.start(how, times.etcd_start_ms);
}
