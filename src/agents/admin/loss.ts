import { decide, mayServe, type Verdict } from "../../decide/decide.ts";
import type { Decision } from "../../decide/decision.ts";
import { toAcceptBy } from "../../decide/accepted.ts";
import { type Accepted, type Facts, no_word, type Word } from "../../decide/facts.ts";
import { newestClaim } from "../../decide/lineage.ts";
import { lineageText } from "../../decide/rule.ts";
import { pageCommand } from "../status/page.ts";

/** How this machine would start, had the admin said this. Nothing is recorded of it: nobody has said it yet. */
export const supposed = (facts: Facts, word: Word): Verdict => decide("start", { ...facts, word });

/** The decisions that end with this machine serving. */
export const wouldServe = (decision: Decision): boolean =>
  decision.do === "serve-as-is" || mayServe(decision);

/** What has to be accepted beside this word: the epoch, `unknown`, or both. Undefined: nothing has to, or nothing helps. */
export const toAccept = (facts: Facts, word: Word): Accepted | undefined =>
  toAcceptBy((said) => wouldServe(supposed(facts, said).decision), facts, word);

/** What could be said instead of what was refused. */
export function insteadOf(facts: Facts, { rule }: Verdict, word: Word, command: string): string {
  const needed = toAccept(facts, word);
  return needed === undefined
    ? `an admin's word does not change that; \`${pageCommand(rule)}\` says what does`
    : `bring ${facts.peerName} back; or, if it is gone for good, accept what is lost: \`${command} --accept-data-loss ${needed}\``;
}

/** The same refusal as the rules'. */
export const refusalOf = ({ rule, sentence }: Verdict, { accept }: Word): string =>
  `${rule}: ${sentence}${accept === undefined ? "" : ` (what was accepted: ${accept})`}`;

/** What could be lost if this machine served without its peer, in words. `word`: what is said beside it. */
export function lossText(facts: Facts, word: Word = { ...no_word, peerDown: true }): string {
  const { me, peerName, self } = facts;
  const own = lineageText(self.lineage);
  const needed = toAccept(facts, word);
  const hidden = `everything that ${peerName} acknowledged alone after ${own}: whether it did can't be read`;
  if (needed === "unknown") return hidden;
  if (needed !== undefined) {
    const known = `everything that was acknowledged after ${own} up to epoch ${newestClaim(facts)}, which ${me} does not hold`;
    return typeof needed === "number"
      ? known
      : `${known}; and what a tag that can't be read or trusted hides`;
  }
  const { decision, rule } = supposed(facts, word);
  return wouldServe(decision)
    ? "nothing that was acknowledged, as far as the rules can tell: no newer data is known anywhere"
    : `${me} can't serve what it holds (${rule})`;
}
