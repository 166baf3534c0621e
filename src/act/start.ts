import type { Facts, Lineage } from "../decide/facts.ts";
import { isClaim, raising } from "../decide/lineage.ts";
import { dropIdleMask, electNow, startOnLog, votesAlone } from "./alone.ts";
import { raiseRevisions } from "./bump.ts";
import type { Effects } from "./effects.ts";
import { becomeFull } from "./full.ts";
import { publishFacts } from "./publish.ts";
import { anyState, changeState, ended, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/** Starts etcd with the data that is there. It does not wait for the peer: two voters find each other. */
export async function* startPlain(effects: Effects, times: Times): Steps {
  const { unit, disk } = effects;
  const facts = await effects.facts();
  const { lineage } = facts.self;
  if (lineage !== undefined && facts.peer.seen === "never" && facts.witness !== "off") {
    // Alone, and not heard of: a stale peer must be able to find out, as in a takeover.
    const untold = yield* ensureTag(effects, times, facts, lineage);
    if (untold !== undefined) return stopped(untold);
  }
  yield "drop a force flag that was left";
  const dropped = await unit.dropForceFlag();
  if (!dropped.ok) return given("the force flag", dropped.failure);
  // Of a takeover after an accepted loss that was cut short, and then left behind.
  if (facts.self.soleVoter) {
    const raised = yield* raiseRevisions(effects, times);
    if (!raised.ok) return given("etcd's revisions", raised.failure);
  }
  const free = yield* dropIdleMask(effects);
  if (!free.ok) return given("etcd", free.failure);
  const up = yield* startOnLog(effects, times);
  if (!up.ok) return given("etcd", up.failure);
  if (votesAlone(facts.self)) yield* electNow(effects, times, "self");
  const state = await disk.readState();
  if (!state.ok) return given("duet's file", state.failure);
  if (!state.value.full) return yield* becomeFull(effects, times);
  if (state.value.left || state.value.takeover?.step === "served") {
    yield "write that it is back";
    const back = await changeState(effects, anyState, (was) => ({
      ...was,
      left: false,
      takeover: was.takeover?.step === "served" ? undefined : was.takeover,
    }));
    if (!back.ok) return given("duet's file", back.failure);
  }
  yield "tell the peer";
  await publishFacts(effects, times);
  return ended;
}

/**
 * One BMC that says it is enough. A tag that is higher and known to stand for nothing says it too: whoever noted that held this
 * lineage then, and who did not is stopped by it. Nothing if one does; else why not.
 */
async function* ensureTag(
  effects: Effects,
  times: Times,
  facts: Facts,
  lineage: Lineage,
): AsyncGenerator<string, string | undefined, void> {
  let told = 0;
  for (const bmc of ["mine", "theirs"] as const) {
    yield `write the tag of ${bmc === "mine" ? "the own BMC" : "the peer's BMC"}`;
    // Of losses that were accepted on both machines a lower number may be the newer data.
    const tag = await effects.bmc.raiseTag(bmc, lineage, times.tag_ms, (found) => !isClaim(facts, found));
    if (!tag.ok) continue;
    const known = facts.tags[bmc];
    const isVoid = raising(known, lineage) === "stays" && !isClaim(facts, known);
    if (tag.value === "higher" && !isVoid)
      return "a BMC's tag is higher by now: the peer may have served since";
    told++;
  }
  return told > 0 ? undefined : "neither BMC took the tag: nothing is served until one does";
}

/** The first start of the site: a new cluster of this machine, which its peer then joins. */
export async function* newCluster(effects: Effects, times: Times, epoch: number): Steps {
  const lineage = { epoch, owner: effects.site.me };
  if (await effects.areTagsWritten())
    for (const bmc of ["mine", "theirs"] as const) {
      yield `write the tag of ${bmc === "mine" ? "the own BMC" : "the peer's BMC"}`;
      const tag = await effects.bmc.raiseTag(bmc, lineage, times.tag_ms);
      if (!tag.ok) return given("the first tag, which both BMCs must take", tag.failure);
      if (tag.value === "higher") return stopped("a BMC has a higher tag of this site by now");
    }
  yield "write whose data this will be";
  const state = await changeState(effects, anyState, (was) => ({
    ...was,
    lineage,
    full: true,
    takeover: undefined,
    bump: undefined,
  }));
  if (!state.ok) return given("duet's file", state.failure);
  yield "start etcd";
  const up = await effects.unit.start("first", times.etcd_start_ms);
  if (!up.ok) return given("etcd", up.failure);
  yield "tell the peer";
  await publishFacts(effects, times);
  return ended;
}
