import { prepareAlone, seeAlone, startAlone } from "./alone.ts";
import { done, type Effects, failed, type Outcome } from "./effects.ts";
import { anyState, changeState } from "./steps.ts";
import type { Times } from "./times.ts";

/**
 * So often is etcd started and stopped before the data is served as it is: an etcd that was killed leaves its database behind its log;
 * and what keeps it from its closed port need not keep it from the clients'.
 */
const orderly_tries_max = 3;

/**
 * After an accepted loss: clients may have seen revisions that this data never had, and would be given the same numbers again for other
 * writes. So its revisions are raised above all of them before anybody is served, and what was before is marked as
 * compacted: a watch from an old revision is refused. That is made of the database alone, so the whole log has to be in it
 * first: etcd runs once where no client looks, and is stopped in order.
 *
 * Whoever accepted a loss wants to be served: where it can't be done, the data is served as it is, and that is written down.
 */
export async function* raiseRevisions(effects: Effects, times: Times): AsyncGenerator<string, Outcome, void> {
  const { disk } = effects;
  const state = await disk.readState();
  if (!state.ok) return state;
  const { bump, lineage } = state.value;
  if (bump !== "owed" || lineage === undefined) return done;
  yield "see whether the revisions are raised";
  const before = await disk.bumpOf(lineage.epoch, times.disk_ms);
  if (!before.ok) return before;
  const raised = before.value === "possible" ? yield* raise(effects, times, lineage.epoch) : done;
  if (!raised.ok && raised.failure.kind !== "refused") return raised;
  const isMissed = !raised.ok || before.value === "impossible";
  if (isMissed) yield "write that the revisions go back";
  else yield "write that the revisions are raised";
  return await changeState(effects, anyState, (was) => ({ ...was, bump: isMissed ? "missed" : undefined }));
}

/** `refused`: it can't be done, and the data is where it was. */
async function* raise(effects: Effects, times: Times, epoch: number): AsyncGenerator<string, Outcome, void> {
  const { disk, unit } = effects;
  let why = "etcd does not bring its log into its database";
  for (let tries = 0; tries < orderly_tries_max; tries++) {
    // What fails here keeps etcd from its clients too, and is over one day.
    const ready = yield* prepareAlone(effects, times);
    if (!ready.ok) return failed("failed", ready.failure.said);
    const up = yield* startAlone(effects, times, "closed", ready.value);
    if (!up.ok && up.failure.kind === "refused") {
      why = up.failure.said;
      await effects.pause(times.again_ms);
      continue;
    }
    if (!up.ok) return up;
    const alone = yield* seeAlone(effects, times, "inside");
    if (!alone.ok) return failed("failed", alone.failure.said);
    yield "drop the force flag";
    const dropped = await unit.dropForceFlag();
    if (!dropped.ok) return dropped;
    // It has just told its own name to its log, and has that and the rest in its database a tenth of a second later.
    await effects.pause(times.again_ms);
    yield "stop etcd in order";
    const down = await unit.stop(times.etcd_stop_ms);
    if (!down.ok) return down;
    yield "raise the revisions beside the data";
    const staged = await disk.stageBump(epoch, times.bump_ms);
    if (!staged.ok && staged.failure.kind === "changed") continue;
    if (!staged.ok) return failed("refused", staged.failure.said);
    yield "put the raised data in its place";
    return await disk.swapBump(times.disk_ms);
  }
  return failed("refused", why);
}
