import * as v from "valibot";
import { asciiJson } from "../../base/text.ts";
import type { Choice, Offer } from "../../decide/facts.ts";

const epoch = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const orNull = <T>(shape: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.nullable(shape),
    v.transform((value): T | undefined => value ?? undefined),
  );
const lineage = v.strictObject({ epoch, owner: v.string() });
const offer: v.GenericSchema<unknown, Offer> = v.strictObject({
  lineage: orNull(lineage),
  surrendered: orNull(epoch),
});
const shape: v.GenericSchema<unknown, Choice> = v.strictObject({
  of: v.picklist(["self", "peer"]),
  mine: offer,
  theirs: offer,
  /** Not in what an older duet says: it accepts no tag then. */
  tags: v.optional(v.array(lineage), []),
});

/** By what it is told to the peer, and kept. */
export const encodeChoice = (choice: Choice): string =>
  asciiJson(JSON.stringify(choice, (_, value: unknown) => value ?? null));

/** Undefined for anything that is not such a text, as the name of a machine, with which an older duet tells a choice: it says not between what. */
export function decodeChoice(text: string): Choice | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return parsed.success ? parsed.output : undefined;
}
