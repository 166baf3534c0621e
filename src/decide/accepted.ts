import type { Accepted, Facts, Word } from "./facts.ts";
import { newestClaim } from "./lineage.ts";

const form = /^(?:(?:([1-9]\d{0,11})(,unknown)?)|unknown)$/;

/** `7`, `unknown` or `7,unknown`, as it is typed behind `--accept-data-loss`, and kept. Undefined: none of these. */
export function readAccepted(text: string): Accepted | undefined {
  const [, digits, both] = form.exec(text) ?? [undefined, undefined, undefined];
  if (digits === undefined) return form.test(text) ? "unknown" : undefined;
  const epoch = Number(digits);
  return both === undefined ? epoch : `${epoch},unknown`;
}

export const isAccepted = (value: unknown): value is Accepted =>
  typeof value === "number" || (typeof value === "string" && typeof readAccepted(value) === "string");

/** Does the word name this very epoch? */
export const namesEpoch = ({ accept }: Word, epoch: number): boolean =>
  accept === epoch || accept === `${epoch},unknown`;

/** Does it say that nobody can know what may be lost? */
export const saysUnknown = ({ accept }: Word): boolean => typeof accept === "string";

/** What was accepted, and besides it what nobody can know: said alone, that would take the place of an epoch that was named. */
export const withUnknown = ({ accept }: Word): Accepted =>
  typeof accept === "number" ? `${accept},unknown` : (accept ?? "unknown");

/** All that could be said here, the least first. */
function sayings(facts: Facts): readonly Accepted[] {
  const claim = newestClaim(facts);
  return claim > 0 ? [claim, "unknown", `${claim},unknown`] : ["unknown"];
}

/** What has to be accepted beside this word, by those who know whether a word helps. Undefined: nothing has to, or nothing helps. */
export function toAcceptBy(helps: (word: Word) => boolean, facts: Facts, word: Word): Accepted | undefined {
  return helps(word) ? undefined : sayings(facts).find((accept) => helps({ ...word, accept }));
}
