import { withUnknown } from "../decide/accepted.ts";
import { chosen } from "../decide/choice.ts";
import type { Facts } from "../decide/facts.ts";
import { acceptedEpoch, beginsAfterLoss, epoch_max, isClaim, mayGoOn } from "../decide/lineage.ts";
import { choiceUnder, mayReplaceByChoice, mayReplaceByWord, needsBothTags } from "../decide/word-alone.ts";
import { forceAlone, seeAlone } from "./alone.ts";
import { raiseRevisions } from "./bump.ts";
import type { Bmc, Effects, Failure, Loss, MayReplace } from "./effects.ts";
import { powerOn } from "./power-on.ts";
import { publishFacts } from "./publish.ts";
import { anyState, changeState, type End, given, type Steps, stopped } from "./steps.ts";
import type { Times } from "./times.ts";

/**
 * The survivor becomes a cluster of one, by what was decided on the facts `decided`. The order is the whole point:
 * the intent comes before the tag, so that a tag always has an owner who knows of it;
 * the tag before `served`, so that no machine serves which a stale peer could not find out about;
 * `served` before the forced start, so that a crash after it never looks like one before it;
 * and the peer's power comes last, so that it never boots into a half-done takeover.
 */
export async function* takeOver(effects: Effects, times: Times, decided: Facts, epoch: number): Steps {
  const { me } = effects.site;
  const isTagged = await effects.areTagsWritten();
  if (isTagged && epoch > epoch_max) return stopped(`no tag has room for the next epoch, ${epoch}`);
  const before = await effects.disk.readState();
  if (!before.ok) return given("duet's file", before.failure);
  if (before.value.takeover?.step === "served") {
    // Of an own takeover that was cut short: from here on nobody would know that the flag is still there.
    yield "drop a force flag that was left";
    const dropped = await effects.unit.dropForceFlag();
    if (!dropped.ok) return given("the force flag", dropped.failure);
  }
  const lost = await effects.quorum.loss();
  if (!lost.ok) return given("the membership", lost.failure);
  // With a proof nothing is looked at anew, so that no slow BMC holds it up.
  const seen = lost.value?.proven === true ? undefined : await effects.facts();
  // The peer may be a member by now, and serve: then no tag of its own is written over.
  if (seen !== undefined && !isStillMeant(seen, lost.value, epoch)) return gone;
  const byWord = seen !== undefined && isOnWordAlone(seen) ? seen : undefined;
  const choice = seen && choiceUnder(seen);
  yield "write the intent";
  const intent = await changeState(
    effects,
    // An own takeover that was cut short is left behind by a later one: what it served is in the log.
    ({ takeover }) => takeover?.step !== "served" || takeover.epoch < epoch,
    (state) => ({ ...state, takeover: { step: "intent", epoch } }),
  );
  if (!intent.ok) return given("the intent", intent.failure);
  if (choice !== undefined) {
    // The peer may not have been told of the choice, and be told of another: it begins nothing beside an intent.
    yield "tell the peer what is meant";
    await publishFacts(effects, times);
  }

  const lineage = { epoch, owner: me };
  if (isTagged) {
    let written = 0;
    for (const bmc of ["mine", "theirs"] as const) {
      yield `write the tag of ${nameOf(bmc)}`;
      if (bmc === "theirs" && (await isAnother(effects, lost.value)))
        return stopped("the peer came or went: no BMC more is told of a takeover that will not be");
      // With a proof one is enough to serve: the second is not waited for long, and written later where it does not answer.
      const patience_ms = written === 0 || byWord !== undefined ? times.tag_ms : times.second_tag_ms;
      const bySaid = seen && replacing(seen);
      const tag = await effects.bmc.raiseTag(
        bmc,
        lineage,
        patience_ms,
        bySaid ?? replacingBy(decided, epoch),
      );
      if (tag.ok && tag.value === "higher") return stopped(bySaid === undefined ? higher(bmc) : claimed(bmc));
      if (!tag.ok && byWord !== undefined) return untold(bmc, byWord, tag.failure);
      if (tag.ok) written++;
    }
    if (written === 0) return stopped("neither BMC took the tag: nothing is served until one does");
  }

  yield "write that it may have served";
  const stands = await stillStands(effects, epoch, byWord !== undefined || !isTagged);
  if (stands === undefined) return gone;
  if (choice !== undefined && !stands.isChosen)
    return stopped("the choice of this machine's data counts no more");
  const served = await changeState(
    effects,
    ({ takeover }) => takeover?.step === "intent" && takeover.epoch === epoch,
    (state) => ({
      ...state,
      lineage,
      takeover: { step: "served", epoch },
      surrendered: undefined,
      left: false,
      bump: beginsAfterLoss(epoch) ? "owed" : state.bump,
      settled: { ...state.settled, theirs: Math.max(stands.accepted, state.settled.theirs) },
    }),
  );
  if (!served.ok) return given("duet's file", served.failure);
  if (lost.value === undefined && beginsAfterLoss(epoch)) {
    // Raising the revisions takes minutes, in which the peer is to hear that what it knows of this machine is over.
    yield "tell the peer that this machine goes on";
    await publishFacts(effects, times);
  }
  return yield* serveAlone(effects, times);
}

/**
 * Undefined: what the takeover was begun on is no longer so. An Off that was read is noted for its loss, and told without a look at the BMCs, one of
 * which may be silent by now. Gives what an accepted loss accepts, and whether this machine's data is chosen.
 */
async function stillStands(
  effects: Effects,
  epoch: number,
  isTold: boolean,
): Promise<{ readonly accepted: number; readonly isChosen: boolean } | undefined> {
  const stands = (now: Facts): boolean => mayGoOn(now) && (isTold || !needsBothTags(now));
  const isLoss = beginsAfterLoss(epoch);
  const lost = isLoss ? undefined : await effects.quorum.loss();
  if (lost?.ok === true && lost.value?.proven === true) return { accepted: 0, isChosen: false };
  const now = await effects.facts();
  if (!stands(now)) return undefined;
  return { accepted: isLoss ? acceptedEpoch(now) : 0, isChosen: choiceUnder(now) !== undefined };
}

/**
 * Does this takeover stand on a plain word and nothing else? A word is no proof, and the peer may live and be
 * told the same of this machine. So it has to write both tags, its own BMC's first, and each only over what it was begun on. That is
 * enough, whatever the two do at what time. Had both written both, one of the two first tags stood first, say this machine's in its own BMC. Then the
 * peer read that BMC after it had written its own, and so after this machine's tag stood there: it found a claim that it did not know of, and
 * stopped. Nobody takes such a claim away: only the peer could write over it, and that is what it did not do. Where there is no `If-Match` it holds as
 * well, since nobody has to be the only writer of a BMC: each needs only to see the other's first tag.
 */
const isOnWordAlone = (facts: Facts): boolean => facts.witness !== "off" && needsBothTags(facts);

/** Was nothing changed since this was decided? A loss is accepted for one membership; in the next one nobody has accepted it. */
function isStillMeant(facts: Facts, lost: Loss | undefined, epoch: number): boolean {
  const isSame = (lost === undefined) === (facts.peer.seen === "now");
  const isAccepted = facts.word.accept !== undefined || chosen(facts) === "self";
  return isSame && mayGoOn(facts) && (isAccepted || !beginsAfterLoss(epoch));
}

/** Undefined: nobody's word or choice is needed. */
function replacing(facts: Facts): MayReplace | undefined {
  const choice = choiceUnder(facts);
  if (isOnWordAlone(facts)) return (tag) => mayReplaceByWord(facts, tag);
  return choice && ((tag) => mayReplaceByChoice(facts, choice, tag));
}

/**
 * A takeover whose tags could not be read when it was decided replaces none that it would have heeded then: the number says nothing, since each try
 * takes a higher one. The peer may have served by a word of somebody's that was not true, before this machine proved it off. Undefined: it goes by
 * the number alone, after a loss that was accepted.
 */
const replacingBy = (decided: Facts, epoch: number): MayReplace | undefined =>
  beginsAfterLoss(epoch) ? undefined : (tag) => !isClaim(decided, tag);

const nameOf = (bmc: Bmc): string => (bmc === "mine" ? "the own BMC" : "the peer's BMC");

const higher = (bmc: Bmc): string =>
  `the tag of ${nameOf(bmc)} is not one that this machine knew of: another takeover came first`;

const claimed = (bmc: Bmc): string =>
  `the tag of ${nameOf(bmc)} is another by now: the peer may be alive, and about to take over as well`;

const untold = (bmc: Bmc, { word }: Facts, failure: Failure): End =>
  given(
    `nothing but a word says that the peer is gone, so nothing is served until both BMCs have the tag, or \`duet confirm-peer-down --accept-data-loss ${withUnknown(word)}\` accepts what can't be known; ${nameOf(bmc)} did not take it`,
    failure,
  );

const gone = stopped("the peer was seen again, or its Off is no longer proven");

/**
 * The first BMC may take long to answer, and the proof that this takeover stands on is one for its loss only. Without a loss the peer is here: one
 * that comes to be, or ends, is another as well.
 */
async function isAnother({ quorum }: Effects, lost: Loss | undefined): Promise<boolean> {
  const now = await quorum.loss();
  return now.ok ? now.value?.ring !== lost?.ring : now.failure.kind === "changed";
}

/** From `served` on: also where a takeover was cut short there. */
export async function* serveAlone(effects: Effects, times: Times): Steps {
  const { unit } = effects;
  const raised = yield* raiseRevisions(effects, times);
  if (!raised.ok) return given("etcd's revisions", raised.failure);
  const up = yield* forceAlone(effects, times);
  if (!up.ok) return given("etcd alone", up.failure);
  const alone = yield* seeAlone(effects, times, "self");
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
