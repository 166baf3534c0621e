import { fail } from "../../base/problem.ts";
import { choiceNow, differ, isOpen, sidesOf } from "../../decide/choice.ts";
import type { Accepted, Choice, Facts, Holding, Word } from "../../decide/facts.ts";
import { heard, isFullVoter, newestClaim } from "../../decide/lineage.ts";
import { lineageText } from "../../decide/rule.ts";
import { membershipNow } from "../hands/quorum.ts";
import { choiceSaidThere, speak, tellChoice } from "../hands/word.ts";
import { unsaid } from "./confirm.ts";
import {
  accepted,
  changedWorld,
  type Desk,
  judged,
  mustBeStarted,
  notYet,
  shownNow,
  untilDone,
} from "./desk.ts";
import { insteadOf, lossText, refusalOf, supposed, wouldServe } from "./loss.ts";
import { onceOff, seeOff } from "./off.ts";
import type { Shown } from "./shown.ts";

export interface Chosen {
  readonly machine: string;
  readonly peer: string;
  readonly chosen: string;
  /** `gives up`: this machine's data counts no more, and it joins the other. */
  readonly outcome: "serves" | "gives up";
  /** The peer has heard it too; otherwise it has to be said there. Null: it is not here. */
  readonly told: boolean | null;
  readonly accepted: Accepted | null;
  readonly shown: Shown;
}

/**
 * `duet choose-data`: the way out where both machines hold data that can't be put in order, or where the only data that is left was
 * given up. The rules do the rest: the loser gives its data up, it is moved aside when the winner serves, and nothing is deleted. Where the peer is
 * away nobody is shown what it holds: there the loss is named, as `duet confirm-peer-down` has it named.
 */
export async function chooseData(
  desk: Desk,
  chosen: string,
  accept: Word["accept"],
  hasGivenUp: () => Promise<boolean>,
): Promise<Chosen> {
  const { effects, saying, notes } = desk.hands;
  const ring = async () => (await membershipNow(saying)).ring;
  const begun = await ring();
  const facts = await effects.facts();
  const { me: machine, peerName: peer } = facts;
  const isHere = facts.peer.seen === "now";
  const once = isHere ? facts : await onceOff(desk.hands, facts);
  const word = wordOf(once, chosen, accept);
  const { choose } = word;
  const shown = await shownNow(
    desk,
    facts,
    isHere ? lossOf(facts, choose.of) : lossText(once, unnamed(word)),
  );
  desk.show(shown);
  const said = `duet choose-data ${chosen}${accept === undefined ? "" : ` --accept-data-loss ${accept}`}`;
  await judged(desk, said, shown, async () => {
    checkChoice(once, word);
    if (!isHere) await mustBeStarted(desk, facts);
    if (isHere) contradicts(facts, choose, await choiceSaidThere(saying, begun));
  });
  const off = isHere ? "" : ` ${peer} is switched off, if it is not.`;
  const question = `The data of ${chosen} counts from now on; what only ${choose.of === "self" ? peer : machine} holds is lost.${off}`;
  if (!(await desk.agreed(question, chosen))) unsaid(desk, said, shown);
  return await accepted(desk, said, shown, async () => {
    // Somebody has looked: what failed before is tried again.
    notes.forget("failed-starts");
    // Where its power can't be read either, `duet confirm-peer-down` has to follow: a choice is no word on that.
    if (!isHere) await seeOff(desk.hands, { facts, once }, word, desk.say);
    const spoken = { choose, ...(isHere || accept === undefined ? {} : { accept }) } as const;
    if (!(await speak(saying, begun, spoken))) changedWorld(peer);
    const told = isHere ? (await tellChoice(saying, begun, choose)).ok : null;
    // Before the wait, which may be for ever: the peer does nothing for what it has not heard.
    if (told === false) desk.say(untoldText(peer, chosen));
    const done = choose.of === "self" ? desk.serves : hasGivenUp;
    const end = await untilDone(desk, ring, begun, done);
    if (end.how === "changed") changedWorld(peer);
    if (end.how === "not yet") notYet(machine, end);
    const outcome = choose.of === "self" ? "serves" : "gives up";
    return { machine, peer, chosen, outcome, told, accepted: spoken.accept ?? null, shown };
  });
}

export const untoldText = (peer: string, chosen: string): string =>
  `${peer} could not be told: run \`duet choose-data ${chosen}\` there too.`;

type ChoosingWord = Word & { readonly choose: Choice };

/** What the command says, as far as the rules are asked; of the peer's power it says nothing. */
export function wordOf(facts: Facts, chosen: string, accept: Word["accept"]): ChoosingWord {
  const choose = choiceNow(chosen === facts.me ? "self" : "peer", sidesOf(facts));
  return { peerDown: true, choose, accept: accept ?? facts.word.accept };
}

const unnamed = (word: Word): Word => ({ ...word, accept: undefined });

const refuse = (where: string, what: string, fix: string): never =>
  fail("DUET-E-CHOOSE-REFUSED", where, what, fix);

/** A choice that could not be carried out would make the other give up what it has, for nothing. `verdict`: the rules', with this word said. */
export function checkChoice(facts: Facts, word: ChoosingWord, verdict = supposed(facts, word)): void {
  const { me, peerName, self, peer } = facts;
  const { choose } = word;
  const theirs = heard(facts);
  const [name, holding] = choose.of === "self" ? [me, self] : [peerName, theirs];
  if (peer.seen === "now" && theirs === undefined)
    refuse(peerName, "it has not told yet what it holds", "try again in some seconds");
  if (peer.seen !== "now" && choose.of === "peer")
    refuse(peerName, "it is not here, so there is nothing to choose it for", `bring ${peerName} back first`);
  if (peer.seen !== "now" && self.surrendered === undefined)
    refuse(
      peerName,
      `it is not here, and ${me} has given nothing up: there is nothing to choose between`,
      `bring ${peerName} back, and choose then; if it is gone for good, \`duet confirm-peer-down\` says what ${me} needs`,
    );
  if (holding === undefined || !isFullVoter(holding))
    refuse(
      name,
      `what it holds can't be served by itself (${whyNot(holding)})`,
      "choose the other machine's data, or restore a backup",
    );
  if (!differ(choose.mine, choose.theirs))
    refuse(me, "both machines hold the same data: there is nothing to choose", "`duet status` shows what is");
  if (peer.seen !== "now" && !wouldServe(verdict.decision))
    refuse(me, refusalOf(verdict, word), insteadOf(facts, verdict, word, `duet choose-data ${me}`));
}

/** It would be carried out by nobody; and what was said there can be taken back only there. */
function contradicts(facts: Facts, choose: Choice, there: Word["choose"]): void {
  const { me, peerName } = facts;
  if (there === undefined || there.of === choose.of || !isOpen(there, sidesOf(facts))) return;
  const [mine, theirs] = choose.of === "self" ? [me, peerName] : [peerName, me];
  refuse(
    peerName,
    `somebody chose the data of ${theirs} there`,
    `see who did, and why; if the data of ${mine} is to count, run \`duet choose-data ${mine}\` on ${peerName}`,
  );
}

function whyNot(holding: Holding | undefined): string {
  if (holding === undefined || !holding.data) return "it has no data";
  if (holding.lineage === undefined) return "nobody knows whose data it is";
  if (holding.standing !== "voter" || holding.removalInLog) return "it was no voter";
  return holding.tailLost ? "the end of its log is lost" : "it is not known to be complete";
}

function lossOf(facts: Facts, choose: Choice["of"]): string {
  const theirs = heard(facts);
  const loser = choose === "self" ? facts.peerName : facts.me;
  const lost = choose === "self" ? theirs : facts.self;
  const claim = newestClaim(facts);
  const told = lost === undefined ? "not known here" : lineageText(lost.lineage);
  const what = lost === undefined && claim > 0 ? `up to epoch ${claim}, by what is known` : told;
  return `everything that only ${loser} holds (${what}); its data is moved aside, and nothing is deleted`;
}
