import { keys } from "./header.ts";
import { in_the_lab } from "./parse.ts";
import { deeds, expectations, isWait, type Kind, phrases, waits } from "./phrases.ts";
import { isSlotName, slots } from "./slots.ts";

/** The language as rows, for `duet scenario words` and docs/scenarios.md. */

export interface Word {
  readonly group: "head" | "do" | "until" | "expect" | "slot";
  readonly say: string;
  readonly means: string;
}

const rows = (group: Word["group"], table: Readonly<Record<string, Omit<Word, "group">>>): readonly Word[] =>
  Object.values(table).map(({ say, means }) => ({ group, say, means }));

export const moment_say = "at MOMENT: …";

export function words(): readonly Word[] {
  return [
    ...rows("head", keys),
    ...rows("do", deeds),
    {
      group: "do",
      say: moment_say,
      means:
        "What follows the colon, one of the steps above, is done in the very moment when that happens next.",
    },
    ...rows("until", waits).map((row) => ({ ...row, say: `${row.say} [within DURATION]` })),
    ...rows("expect", expectations),
    {
      group: "expect",
      say: `${in_the_lab} …`,
      means:
        "What follows the colon, something to wait for or to expect, is looked at in the lab alone: the simulator, which leaves it out, goes on without it.",
    },
    ...Object.entries(slots).map(([name, { what }]) => ({ group: "slot" as const, say: name, means: what })),
  ];
}

/** A step of each kind that is written right, for tests and for people who learn by example. */
export function samples(): readonly { readonly kind: string; readonly text: string }[] {
  return Object.keys(phrases)
    .filter((kind): kind is Kind => Object.hasOwn(phrases, kind))
    .flatMap((kind) => {
      const text = phrases[kind].say
        .split(" ")
        .map((word) => (isSlotName(word) ? (slots[word].samples[0] ?? "") : word))
        .join(" ");
      const limits = isWait(kind) ? ["", " within 90 seconds"] : [""];
      return limits.map((limit) => ({ kind, text: `${text}${limit}` }));
    });
}
