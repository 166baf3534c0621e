import * as v from "valibot";
import type { Published } from "../../act/effects.ts";
import { asciiJson } from "../../base/text.ts";

const epoch = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const name = v.pipe(v.string(), v.minLength(1), v.maxLength(253));
/** `undefined` is written as null: JSON would leave it out, and what is left out is not what was said. */
const maybe = <T>(shape: v.GenericSchema<unknown, T>) =>
  v.pipe(
    v.nullable(shape),
    v.transform((value): T | undefined => value ?? undefined),
  );

/** A newer duet on the other machine may say more than this one knows: that is passed over. */
const shape = v.object({
  holding: v.object({
    data: v.boolean(),
    standing: v.picklist(["voter", "learner", "removed", "none", "unknown"]),
    soleVoter: v.boolean(),
    removalInLog: v.boolean(),
    tailLost: v.boolean(),
    lineage: maybe(v.object({ epoch, owner: name })),
    full: v.boolean(),
    takeover: maybe(v.object({ step: v.picklist(["intent", "served", "abandoned"]), epoch })),
    left: v.boolean(),
    surrendered: maybe(epoch),
    settled: v.object({ mine: epoch, theirs: epoch }),
    others: v.pipe(v.string(), v.maxLength(1000)),
    echo: v.pipe(v.string(), v.maxLength(1000)),
  }),
  serving: v.boolean(),
  running: v.boolean(),
  leaving: v.boolean(),
  // An older duet does not say it: then it does not count as new.
  isNew: v.optional(v.boolean(), false),
  // Nor this: then nobody knows whether it is still the same boot.
  boot: v.optional(maybe(name), null),
  witness: v.optional(maybe(v.picklist(["on", "off"])), null),
  turn: maybe(v.picklist([0, 1, 2])),
  logEnd: maybe(v.object({ term: epoch, index: epoch })),
});

/** What a machine says to its peer. */
export const encodeSaying = (said: Published): string =>
  asciiJson(JSON.stringify(said, (_, value: unknown) => (value === undefined ? null : value)));

/** Undefined for anything that is not such a text: what can't be understood was not said. */
export function decodeSaying(text: string): Published | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return parsed.success ? parsed.output : undefined;
}
