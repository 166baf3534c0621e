import * as v from "valibot";
import type { Published } from "../../act/effects.ts";
import { isAccepted } from "../../decide/accepted.ts";
import type { Accepted } from "../../decide/facts.ts";
import { decodeChoice, encodeChoice } from "./choice-text.ts";
import type { Memory } from "./memory.ts";
import { decodeSaying, encodeSaying } from "./saying.ts";

const time = v.pipe(v.number(), v.finite());
const epoch = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const spoken = v.strictObject({
  ring: v.string(),
  peerDown: v.boolean(),
  accept: v.nullable(v.union([epoch, v.custom<Accepted>(isAccepted)])),
  /** As text; an older duet kept "self" or "peer", which says not between what, and counts no more. */
  choose: v.nullable(v.string()),
});
const shape = v.strictObject({
  boot: v.string(),
  seen: v.boolean(),
  heard: v.nullable(v.string()),
  provenIn: v.nullable(v.string()),
  wentOff: v.boolean(),
  ring: v.nullable(
    v.strictObject({
      ring: v.string(),
      other_ms: v.nullable(time),
      first_ms: time,
      last_ms: time,
      together_ms: v.nullable(time),
      ahead_ms: v.optional(v.nullable(time), null),
    }),
  ),
  /** These are not in what an older duet kept. */
  spoken: v.optional(v.nullable(spoken), null),
  offBoot: v.optional(v.nullable(v.string()), null),
  falseOff_ms: v.optional(v.nullable(time), null),
  doubtedIn: v.optional(v.nullable(v.string()), null),
  tags: v.optional(v.array(v.strictObject({ epoch, owner: v.string() })), []),
});

export function encodeMemory({ remembered, ring, spoken: said, falseOff_ms }: Memory, boot: string): string {
  const { seen, heard, provenIn, wentOff, offBoot, doubtedIn, tags } = remembered;
  const kept: v.InferOutput<typeof shape> = {
    boot,
    seen,
    heard: heard === undefined ? null : encodeSaying(heard),
    provenIn: provenIn ?? null,
    wentOff,
    ring:
      ring === undefined
        ? null
        : {
            ...ring,
            other_ms: ring.other_ms ?? null,
            together_ms: ring.together_ms ?? null,
            ahead_ms: ring.ahead_ms ?? null,
          },
    spoken:
      said === undefined
        ? null
        : {
            ring: said.ring,
            peerDown: said.word.peerDown,
            accept: said.word.accept ?? null,
            choose: said.word.choose === undefined ? null : encodeChoice(said.word.choose),
          },
    offBoot: offBoot ?? null,
    falseOff_ms: falseOff_ms ?? null,
    doubtedIn: doubtedIn ?? null,
    tags: tags.map(({ epoch: number, owner }) => ({ epoch: number, owner })),
  };
  return `${JSON.stringify(kept)}\n`;
}

/** Undefined for what was kept in another boot, and for what is no such text: knowing nothing is always safe. */
export function decodeMemory(text: string, boot: string): Memory | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  if (!parsed.success || parsed.output.boot !== boot) return undefined;
  const { seen, heard: said, provenIn, wentOff, ring, spoken: word, offBoot, falseOff_ms } = parsed.output;
  const { doubtedIn, tags } = parsed.output;
  const heard: Published | undefined = said === null ? undefined : decodeSaying(said);
  if (said !== null && heard === undefined) return undefined;
  return {
    remembered: {
      seen,
      heard,
      provenIn: provenIn ?? undefined,
      wentOff,
      offBoot: offBoot ?? undefined,
      doubtedIn: doubtedIn ?? undefined,
      tags,
    },
    ring:
      ring === null
        ? undefined
        : {
            ...ring,
            other_ms: ring.other_ms ?? undefined,
            together_ms: ring.together_ms ?? undefined,
            ahead_ms: ring.ahead_ms ?? undefined,
          },
    spoken:
      word === null
        ? undefined
        : {
            ring: word.ring,
            word: {
              peerDown: word.peerDown,
              accept: word.accept ?? undefined,
              choose: word.choose === null ? undefined : decodeChoice(word.choose),
            },
          },
    falseOff_ms: falseOff_ms ?? undefined,
  };
}
