import type { Decision } from "../decide/decision.ts";
import type { Facts } from "../decide/facts.ts";
import { isClaim } from "../decide/lineage.ts";
import type { Effects } from "./effects.ts";
import { leave, stopOnly } from "./leave.ts";
import { loneStart } from "./lone-start.ts";
import { follow, rejoin } from "./rejoin.ts";
import { abandon, settle } from "./settle.ts";
import { newCluster, startPlain } from "./start.ts";
import { given, type Steps } from "./steps.ts";
import { surrender } from "./surrender.ts";
import { serveAlone, takeOver } from "./takeover.ts";
import type { Times } from "./times.ts";

/** The steps that a decision on these facts leads to; undefined where it leads to none. */
export function perform(effects: Effects, times: Times, facts: Facts, decision: Decision): Steps | undefined {
  switch (decision.do) {
    case "take-over":
      return takeOver(effects, times, facts, decision.epoch);
    case "resume-takeover":
      return serveAlone(effects, times);
    case "start-plain":
      return startPlain(effects, times);
    case "restart-in-place":
      return restart(effects, times);
    case "new-cluster":
      return newCluster(effects, times, decision.epoch);
    case "join-as-learner":
      return rejoin(effects, times);
    case "follow-as-learner":
      return follow(effects, times);
    case "surrender":
      return surrender(effects, times, decision.epoch);
    case "abandon":
      return abandon(effects, times, decision.epoch);
    case "settle":
      return settle(effects, times, decision.settled);
    case "prove-off":
      return loneStart(effects, times);
    case "leave":
      return leave(effects, times);
    case "stop":
    case "stop-and-alarm":
      return stopOnly(effects, times);
    case "write-tags":
      return writeTags(effects, times, facts, decision.bmcs);
    case "serve-as-is":
    case "wait":
    case "needs-human":
    case "may-fence":
    case "refuse-fence":
    case "keep-tags":
      return undefined;
  }
}

/** What is left of it is ended first: a frozen etcd holds its port. */
async function* restart(effects: Effects, times: Times): Steps {
  yield "end what is left of etcd";
  const down = await effects.unit.stop(times.etcd_stop_ms);
  return down.ok ? yield* startPlain(effects, times) : given("etcd", down.failure);
}

/**
 * While serving: a tag that is behind is raised to the own lineage. A failure is tried again at the next look, and a claim that came up
 * since the last one, whatever its number, is told by the next.
 */
async function* writeTags(
  effects: Effects,
  times: Times,
  facts: Facts,
  bmcs: readonly ("mine" | "theirs")[],
): Steps {
  const { lineage } = (await effects.own()).self;
  for (const bmc of lineage === undefined ? [] : bmcs) {
    yield `write the tag of ${bmc === "mine" ? "the own BMC" : "the peer's BMC"}`;
    if (lineage !== undefined)
      await effects.bmc.raiseTag(bmc, lineage, times.tag_ms, (found) => !isClaim(facts, found));
  }
  return { done: true };
}
