import type { Decision } from "../decide/decision.ts";
import type { Facts } from "../decide/facts.ts";
import { isFullVoter } from "../decide/lineage.ts";
import { promotionScore } from "../decide/score.ts";
import type { Effects } from "./effects.ts";
import { fencePeer } from "./fence.ts";
import { stopOnly } from "./leave.ts";
import { proveUnheardOff } from "./lone-start.ts";
import { type FenceFailed, ownFence } from "./own-fence.ts";
import { perform } from "./perform.ts";
import { publishFacts, publishNews } from "./publish.ts";
import { type End, runSteps, type Steps } from "./steps.ts";
import type { Times } from "./times.ts";
import { takeTurn, wantedTurn } from "./turn.ts";

/** What woke the agent's one-shot, and how the site is set up. */
export interface Look {
  /** What is published is published once more, changed or not: a word may have been lost, or overtaken by an older one. */
  readonly repeat: boolean;
  /** Should the peer win a race? Asked only where both are whole: it takes a call to etcd. */
  readonly peerFirst: () => Promise<boolean>;
  readonly log: (step: string) => void;
  /** How the steps ended; nothing is decided by it. */
  readonly ended?: (end: End) => void;
  readonly fenceFailed?: FenceFailed | undefined;
}

/** One look of the agent: it tells what is new, decides, and does what was decided. True: something was done, look again. */
export async function work(effects: Effects, times: Times, look: Look): Promise<boolean> {
  const quorate = await effects.quorum.status();
  if (!quorate.ok || !quorate.value) return false;
  const facts = await effects.facts();
  const isHeard = facts.peer.seen === "now";
  if (isHeard) await publishNews(effects, times, facts, look.repeat);
  const steps = await stepsFor(effects, times, facts, look);
  if (steps !== undefined) {
    const end = await runSteps(steps, look.log);
    look.ended?.(end);
    await publishFacts(effects, times);
    // With nobody there to hear it, a word must not hold up a takeover.
  } else if (!isHeard) await publishNews(effects, times, facts, look.repeat);
  await tellScore(effects, times);
  return steps !== undefined;
}

async function stepsFor(
  effects: Effects,
  times: Times,
  facts: Facts,
  { peerFirst, fenceFailed }: Pick<Look, "peerFirst" | "fenceFailed">,
): Promise<Steps | undefined> {
  const turning = await turnSteps(effects, times, facts, peerFirst);
  if (turning !== undefined) return turning;
  const decision = choose(effects, facts);
  if (isForGood(decision) && isReadInPassing(facts)) return stopOnly(effects, times);
  if (decision.do !== "prove-off") return perform(effects, times, facts, decision);
  // Who has lost a peer that nobody will fence does it as the fence agent would.
  if (facts.peer.seen !== "never") return ownFence(effects, fencePeer(effects, times), fenceFailed);
  // A lone start is the guard's, until Pacemaker has started the resource here: then the guard has ended, and what it granted quorum
  // for may have changed since, as a BMC that answers again voids an admin's word.
  return facts.started ? ownFence(effects, proveUnheardOff(effects, times), fenceFailed) : undefined;
}

const isForGood = (decision: Decision): boolean =>
  decision.do === "join-as-learner" || decision.do === "surrender";

/** Under an etcd that writes, a sound log can look bad: it is read at rest before anything is given up for that. */
const isReadInPassing = ({ etcd, self }: Facts): boolean =>
  etcd.running && self.data && (self.standing === "unknown" || self.tailLost);

/** A first turn before anything else; a swap only between two that are whole. */
async function turnSteps(
  effects: Effects,
  times: Times,
  facts: Facts,
  peerFirst: Look["peerFirst"],
): Promise<Steps | undefined> {
  const state = await effects.disk.readState();
  if (!state.ok) return undefined;
  const { turn: mine } = state.value;
  const { me, peerName, firstStart, peer, self } = facts;
  const whole =
    peer.seen === "now" && peer.facts !== undefined && isFullVoter(peer.facts) && isFullVoter(self);
  if (mine !== undefined && !whole) return undefined;
  const said = await effects.attributes.readPeer(times.attribute_ms);
  const theirs = said.ok ? said.value?.turn : undefined;
  const next = wantedTurn({
    me,
    peerName,
    mine,
    theirs,
    peerFirst: await peerFirst(),
    firstStart,
  });
  return next === undefined ? undefined : takeTurn(effects, times, mine, next);
}

const starts: ReadonlySet<Decision["do"]> = new Set([
  "start-plain",
  "take-over",
  "resume-takeover",
  "follow-as-learner",
]);

function choose(effects: Effects, facts: Facts): Decision {
  const start = effects.decide("start", facts).decision;
  if (start.do === "serve-as-is") return effects.decide("tags", facts).decision;
  // However it is to be started, the failures count.
  if (starts.has(start.do)) {
    const again = effects.decide("etcd", facts).decision;
    if (again.do === "surrender" || again.do === "needs-human") return again;
    if (again.do === "restart-in-place" && start.do === "start-plain") return again;
  }
  if (start.do === "start-plain" && facts.etcd.running && facts.self.full) return { do: "wait" };
  return start;
}

async function tellScore(effects: Effects, times: Times): Promise<void> {
  const [running, log, said] = [
    await effects.unit.isRunning(),
    await effects.disk.logEnd(),
    await effects.attributes.readPeer(times.attribute_ms),
  ];
  const score = promotionScore(
    running.ok && running.value,
    log.ok ? log.value : undefined,
    said.ok ? said.value?.logEnd : undefined,
  );
  await effects.attributes.score(score, times.attribute_ms);
}
