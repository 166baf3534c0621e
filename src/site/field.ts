import * as v from "valibot";
import { fields } from "./schema.ts";
import { type Sentence, sentences } from "./sentences.ts";

export type FieldName = keyof typeof fields;

/** What is wrong with one value by itself, or undefined. */
export function fieldFault(field: FieldName, text: string): Sentence | undefined {
  const { issues } = v.safeParse(fields[field], text, { abortPipeEarly: true });
  return issues === undefined ? undefined : sentences[issues[0].message];
}
