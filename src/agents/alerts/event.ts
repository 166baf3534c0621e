import * as v from "valibot";

/** How much of a person's sleep it is worth. */
export type Severity = "critical" | "warning" | "info";

/** Everything that people are told of. docs/alerts.md has a section for each. */
export const kinds = [
  "machine-lost",
  "machine-left",
  "machine-back",
  "fence-done",
  "fence-failed",
  "fence-unproven",
  "false-off",
  "resource-failed",
  "takeover",
  "whole",
  "human-needed",
  "surrendered",
  "test",
] as const;
export type Kind = (typeof kinds)[number];

const word = v.pipe(v.string(), v.maxLength(253));
const sentence = v.pipe(v.string(), v.maxLength(2_000));

/** What happened, as whoever saw it tells it. Flat and small; nothing in it is secret. */
export const eventShape = v.object({
  kind: v.picklist(kinds),
  at_ms: v.number(),
  /** The machine that it happened to. */
  about: v.optional(word),
  /** Who did it, or tried to. */
  by: v.optional(word),
  /** In the words of who saw it. */
  why: v.optional(sentence),
  epoch: v.optional(v.number()),
  /** Of a fence: the membership in which Off was read. */
  ring: v.optional(word),
  /** Of a rule that calls a person: its id, and the question that it answered; with no question it is the code of what else is wrong. */
  rule: v.optional(word),
  question: v.optional(word),
});
export type Event = v.InferOutput<typeof eventShape>;

/** On one line, and with nothing that could upset a terminal or begin a header. */
export const plain = (text: string, length_max = 500): string =>
  text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, length_max);
