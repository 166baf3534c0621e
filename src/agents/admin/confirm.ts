import { fail } from "../../base/problem.ts";
import type { Verdict } from "../../decide/decide.ts";
import type { Accepted, Facts, Word } from "../../decide/facts.ts";
import { membershipNow } from "../hands/quorum.ts";
import { speak } from "../hands/word.ts";
import {
  accepted,
  changedWorld,
  type Desk,
  isServing,
  judged,
  mustBeStarted,
  notYet,
  noteWord,
  shownNow,
  untilDone,
} from "./desk.ts";
import { insteadOf, lossText, refusalOf, supposed, wouldServe } from "./loss.ts";
import { type Gone, onceOff, seeOff } from "./off.ts";
import type { Shown } from "./shown.ts";

export interface Confirmed {
  readonly machine: string;
  readonly peer: string;
  /** `serves already`: nothing was said, since nothing was needed. */
  readonly outcome: "serves" | "serves already";
  readonly by: Gone | null;
  readonly accepted: Accepted | null;
  readonly shown: Shown;
  readonly rule: string;
  readonly sentence: string;
}

/**
 * `duet confirm-peer-down`: a person has seen that the peer is off. The word replaces the proof of Off and nothing else: the rules
 * decide, here before it is taken, and again in the agent. It is for this boot and this membership.
 */
export async function confirmPeerDown(desk: Desk, accept: Word["accept"]): Promise<Confirmed> {
  const { effects, saying } = desk.hands;
  const ring = async () => (await membershipNow(saying)).ring;
  const begun = await ring();
  const facts = await effects.facts();
  const named = `duet confirm-peer-down${accept === undefined ? "" : ` --accept-data-loss ${accept}`}`;
  if (facts.peer.seen === "now") {
    const shown = await shownNow(desk, facts, `nothing: ${facts.peerName} is here, and nothing is said`);
    desk.show(shown);
    return await judged(desk, named, shown, () => peerHere(facts));
  }
  const word: Word = { ...facts.word, peerDown: true, accept: accept ?? facts.word.accept };
  const once = await onceOff(desk.hands, facts);
  const serves = isServing(facts);
  const loss = serves ? `nothing: ${facts.me} serves already, and nothing is said` : lossText(once);
  const shown = await shownNow(desk, facts, loss);
  const verdict = supposed(once, word);
  const { me: machine, peerName: peer } = facts;
  const { rule, sentence } = verdict;
  const told = { machine, peer, shown, rule, sentence } as const;
  desk.show(shown);
  if (serves) {
    noteWord(desk, named, shown, { outcome: "serves already" });
    return { ...told, outcome: "serves already", by: null, accepted: null };
  }
  const before =
    accept === undefined && word.accept !== undefined ? ` (${word.accept} was accepted before)` : "";
  const said = `${named}${before}`;
  if (!wouldServe(verdict.decision))
    return await judged(desk, said, shown, () => refuse(once, verdict, word));
  await judged(desk, said, shown, () => mustBeStarted(desk, facts));
  const question = `Have you seen that ${peer} is off, or may it be switched off? ${machine} then serves without it.`;
  if (!(await desk.agreed(question, peer))) unsaid(desk, said, shown);
  return await accepted(desk, said, shown, async () => {
    const by = await seeOff(desk.hands, { facts, once }, word, desk.say);
    const spoken = { peerDown: true, ...(accept === undefined ? {} : { accept }) } as const;
    if (!(await speak(saying, begun, spoken))) changedWorld(peer);
    const end = await untilDone(desk, ring, begun, desk.serves);
    if (end.how === "changed") changedWorld(peer);
    if (end.how === "not yet") notYet(machine, end);
    return { ...told, outcome: "serves", by, accepted: word.accept ?? null };
  });
}

const peerHere = ({ peerName }: Facts): never =>
  fail(
    "DUET-E-CONFIRM-PEER-HERE",
    peerName,
    "it is here, a member of the cluster, so it is not down",
    "`duet status` shows what the two wait for",
  );

/** That somebody saw it and stopped there is kept too. */
export function unsaid(desk: Desk, said: string, shown: Shown): never {
  noteWord(desk, said, shown, { outcome: "not confirmed" });
  return fail("DUET-E-ADMIN-NO", "duet", "it was not confirmed", "nothing was said, and nothing has changed");
}

/** The same refusal as the rules', with what could be said instead. */
const refuse = (facts: Facts, verdict: Verdict, word: Word): never =>
  fail(
    "DUET-E-CONFIRM-REFUSED",
    facts.me,
    refusalOf(verdict, word),
    insteadOf(facts, verdict, word, "duet confirm-peer-down"),
  );
