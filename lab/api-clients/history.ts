import * as v from "valibot";
import { probed } from "./probed.ts";

/** All that the API's clients did and saw, in the order in which it came to them. Times are milliseconds since the epoch. */

/** `failed`: it surely did not happen. `open`: no answer, or one that leaves it open; it may have happened, or happen later. */
export const outcomes = ["ok", "failed", "open"] as const;
export type Outcome = (typeof outcomes)[number];

const version = v.pipe(v.number(), v.integer(), v.minValue(0));
/** A ConfigMap, and the resourceVersion that it was made with. */
const item = v.strictTuple([v.string(), version]);
export type Item = v.InferOutput<typeof item>;

const entry = v.variant("kind", [
  v.object({ kind: v.literal("call"), name: v.string(), at_ms: v.number() }),
  v.object({
    kind: v.literal("answer"),
    name: v.string(),
    at_ms: v.number(),
    outcome: v.picklist(outcomes),
    version: v.optional(version),
    said: v.optional(v.string()),
  }),
  /** A machine's own API server is asked, and what became of that. `ended`: not by the asker's own deadline. */
  v.object({
    kind: v.literal("ask"),
    id: v.string(),
    machine: v.string(),
    what: v.picklist(probed),
    at_ms: v.number(),
  }),
  v.object({
    kind: v.literal("told"),
    id: v.string(),
    at_ms: v.number(),
    ended: v.boolean(),
    status: v.optional(v.number()),
    said: v.optional(v.string()),
  }),
  /** A watcher read the whole list: at its beginning, or since the API no longer has what came after its version (410 Gone). */
  v.object({
    kind: v.literal("listed"),
    watcher: v.number(),
    why: v.picklist(["begin", "gone"]),
    version,
    items: v.array(item),
  }),
  v.object({
    kind: v.literal("event"),
    watcher: v.number(),
    type: v.string(),
    name: v.string(),
    version,
  }),
  /** The API says how far a watcher is, with no event. */
  v.object({ kind: v.literal("bookmark"), watcher: v.number(), version }),
  /** A watch ended, and is begun again from there. */
  v.object({ kind: v.literal("resumed"), watcher: v.number(), version, said: v.string() }),
  /** What is there at the end. */
  v.object({ kind: v.literal("found"), version, items: v.array(item) }),
  v.object({ kind: v.literal("end") }),
]);
export type Entry = v.InferOutput<typeof entry>;

const line = v.pipe(v.string(), v.parseJson(), entry);

/** A last line that was cut short is left out: then the `end` is missing, and the judge says so. */
export function readHistory(text: string): readonly Entry[] {
  return text.split("\n").flatMap((each) => {
    const read = v.safeParse(line, each);
    return read.success ? [read.output] : [];
  });
}
