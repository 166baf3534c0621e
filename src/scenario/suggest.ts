import { editDistance } from "../base/text.ts";
import { candidates, sayOf } from "./grammar.ts";
import { isSlotName, slots, squeeze } from "./slots.ts";

export interface Suggestion {
  /** A whole step that would be understood. */
  readonly text: string;
  /** The phrase behind it, with its slots explained. */
  readonly rule: string;
  /** The first word of the line that is not as suggested, counted from 0. */
  readonly word: number;
}

/** The step most likely meant; undefined where none is near: a far-off suggestion misleads more than none. */
export function suggest(line: string): Suggestion | undefined {
  const written = squeeze(line).toLowerCase();
  let best: { readonly text: string; readonly say: string; readonly distance: number } | undefined;
  for (const { kind, text } of candidates(line)) {
    const distance = editDistance(written, text.toLowerCase());
    if (distance > Math.max(written.length, text.length) * 0.45) continue;
    if (best === undefined || distance < best.distance) best = { text, say: sayOf(kind), distance };
  }
  if (best === undefined) return undefined;
  const meant = best.text.toLowerCase().split(" ");
  const words = written.split(" ");
  const off = words.findIndex((word, index) => word !== meant[index]);
  return { text: best.text, rule: ruleOf(best.say), word: Math.max(0, off) };
}

/** The phrase, and what its capitals stand for. */
function ruleOf(say: string): string {
  const explained = [...new Set(say.split(" ").filter(isSlotName))].map(
    (name) => `${name} is ${slots[name].what}`,
  );
  return explained.length === 0 ? `\`${say}\`` : `\`${say}\`, where ${explained.join("; ")}`;
}
