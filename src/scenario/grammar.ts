import { isWait, type Kind, phrases, within_ms_default } from "./phrases.ts";
import type { Ask } from "./scenario.ts";
import { isSlotName, type SlotName, type SlotValue, slots, squeeze } from "./slots.ts";

/** From the table of phrases to a matcher and back to text. */

interface Compiled {
  readonly kind: Kind;
  readonly pattern: RegExp;
  readonly slots: readonly SlotName[];
  readonly words: readonly string[];
}

/** The words of a phrase; a wait also takes its limit. */
export const sayOf = (kind: Kind): string => phrases[kind].say;

const kinds = Object.keys(phrases).filter((kind): kind is Kind => Object.hasOwn(phrases, kind));
const compiled: readonly Compiled[] = kinds.map(compile);

function compile(kind: Kind): Compiled {
  const words = sayOf(kind).split(" ");
  const parts = words.map((word) =>
    isSlotName(word) ? `(${slots[word].source})` : word.replaceAll(/[+,.]/g, "\\$&"),
  );
  const limit = isWait(kind) ? `(?:\\s+within\\s+(${slots.DURATION.source}))?` : "";
  return {
    kind,
    pattern: new RegExp(`^${parts.join("\\s+")}${limit}$`, "i"),
    slots: words.filter(isSlotName),
    words,
  };
}

export type Match =
  | { readonly ok: true; readonly ask: Ask; readonly text: string }
  /** The words are right and a value is not. */
  | { readonly ok: false; readonly what: string; readonly value: string };

/** The step that these words say; undefined where no phrase fits. */
export function match(line: string): Match | undefined {
  for (const phrase of compiled) {
    const found = phrase.pattern.exec(line.trim());
    if (found !== null) return understand(phrase, found.slice(1));
  }
  return undefined;
}

function understand({ kind, slots: names, words }: Compiled, texts: readonly (string | undefined)[]): Match {
  const values: Record<string, SlotValue> = {};
  for (const [index, name] of names.entries()) {
    const text = texts[index] ?? "";
    const value = slots[name].read(text);
    if (typeof value === "object") return { ok: false, what: value.wrong, value: text };
    values[name.toLowerCase()] = value;
  }
  const limit = texts[names.length];
  const within_ms = limit === undefined ? within_ms_default : slots.DURATION.read(limit);
  if (typeof within_ms === "object") return { ok: false, what: within_ms.wrong, value: limit ?? "" };
  const ask = { ...values, kind, within_ms, limited: limit !== undefined };
  if (!isAsk(ask, names)) throw new Error(`the phrase of ${kind} and its slots disagree`);
  return { ok: true, ask, text: print(words, names, texts) };
}

/** The one place where the table's types are taken for granted: each slot that the phrase names has its value. */
function isAsk(values: object, names: readonly SlotName[]): values is Ask {
  return names.every((name) => Object.hasOwn(values, name.toLowerCase()));
}

function print(
  words: readonly string[],
  names: readonly SlotName[],
  texts: readonly (string | undefined)[],
): string {
  const waiting = [...names.keys()];
  const written = words.map((word) => {
    if (!isSlotName(word)) return word;
    return slots[word].tidy(texts[waiting.shift() ?? 0] ?? "");
  });
  const limit = texts[names.length];
  if (limit !== undefined) written.push("within", slots.DURATION.tidy(limit));
  return written.join(" ");
}

/** Every phrase with its slots filled by what the line has of their kind, or by what could stand there: what may be meant. */
export function candidates(line: string): readonly { readonly kind: Kind; readonly text: string }[] {
  const limit = squeeze(/\s+within\s+\S.*$/i.exec(line)?.[0] ?? "");
  return compiled.flatMap(({ kind, words }) => {
    let texts = [""];
    for (const word of words) {
      const choices = isSlotName(word) ? valuesFor(line, word) : [word];
      texts = texts.flatMap((text) => choices.map((choice) => `${text} ${choice}`));
    }
    const end = isWait(kind) && limit !== "" ? ` ${limit}` : "";
    return texts.map((text) => ({ kind, text: `${text.trimStart()}${end}` }));
  });
}

/** The last value of that kind in the line: people name what they mean at the end. Else all that there are. */
function valuesFor(line: string, name: SlotName): readonly string[] {
  const slot = slots[name];
  const found = [...line.matchAll(new RegExp(`(?<![\\w"])(?:${slot.source})(?!\\w)`, "gi"))].at(-1);
  return found === undefined ? slot.samples : [slot.tidy(found[0])];
}
