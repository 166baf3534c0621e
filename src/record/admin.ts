import type { Told } from "./entry.ts";

/**
 * `not done`: it was accepted, and had not come to its end when the command ended. `serves already`: the machine needed no word, and none
 * was taken.
 */
export const outcomes = ["accepted", "refused", "not confirmed", "not done", "serves already"] as const;
export type Outcome = (typeof outcomes)[number];

/** What became of an admin's word: with the code and the sentence of the error with which the command ended. */
export interface Answer {
  readonly outcome: Outcome;
  readonly code?: string;
  readonly why?: string;
}

/** A word of an admin, as it was recorded where it was said. */
export interface AdminWord {
  /** By that machine's wall clock. */
  readonly at: string;
  readonly machine: string;
  readonly who: string;
  readonly said: string;
  readonly outcome: Outcome;
  readonly code: string | undefined;
  readonly why: string | undefined;
  /** What was known, and shown before it was said. */
  readonly shown: string;
}

/** All words of these entries, each by the entry that tells it first. */
export function adminWords(entries: readonly Told[]): ReadonlyMap<Told, AdminWord> {
  const words = new Map<Told, AdminWord>();
  // One process says one thing at a time: what is told of the same word later is its end.
  const open = new Map<string, { readonly entry: Told; readonly word: AdminWord }>();
  for (const entry of entries) {
    const word = adminWord(entry);
    if (word === undefined) continue;
    const key = `${entry.machine} ${entry.boot} ${entry.pid} ${word.said}`;
    const begun = word.outcome === "not done" ? open.get(key) : undefined;
    if (begun === undefined) {
      words.set(entry, word);
      open.set(key, { entry, word });
      continue;
    }
    const { outcome, code, why } = word;
    words.set(begun.entry, { ...begun.word, outcome, code, why });
    open.delete(key);
  }
  return words;
}

function adminWord(entry: Told): AdminWord | undefined {
  if (entry.kind !== "event" || entry.event !== "admin") return undefined;
  const { at, machine, detail } = entry;
  const text = (name: string) => {
    const value = detail[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const outcome = outcomes.find((each) => each === detail["outcome"]);
  const plain = text("said") ?? "something";
  const { said, ...answer }: Old = outcome === undefined ? before(plain) : { said: plain, outcome };
  return {
    at,
    machine,
    who: text("who") ?? "a person",
    said,
    outcome: answer.outcome,
    code: text("code"),
    why: text("why") ?? answer.why,
    shown: text("shown") ?? "",
  };
}

type Old = Answer & { readonly said: string };

/** In records of before the outcome was told by itself it stands behind what was said. */
function before(text: string): Old {
  const [whole, what = "", rest = ""] = / \((refused|not confirmed)(?:(?: by|:) (.*))?\)$/.exec(text) ?? [];
  const outcome = outcomes.find((each) => each === what) ?? "accepted";
  const said = whole === undefined ? text : text.slice(0, -whole.length);
  return { said, outcome, ...(rest === "" ? {} : { why: rest }) };
}

/** What a takeover may go by where nobody can prove that the peer is off. */
export const standsForOff = ({ said, outcome, code }: AdminWord): boolean =>
  /\bconfirm-peer-down\b/.test(said) &&
  (outcome === "accepted" || (outcome === "not done" && code === "DUET-E-ADMIN-NOT-YET"));
