import type { Tag } from "../../decide/facts.ts";
import type { Lost } from "./witness-seen.ts";

/** A BMC that boots may show its tag only when all of it is up: one that is empty is looked at again before it is blamed. */
const settle_ms = 30_000;

/** What one machine knows of a BMC's tags since that BMC passed its test; see witness-seen.ts. */
export interface Known {
  readonly tag?: string | undefined;
  readonly lost?: Lost | undefined;
  readonly emptySince?: string | undefined;
}

export interface TagLook {
  readonly text: string | null;
  /** Something is written over it now: then nobody can look again. */
  readonly over: boolean;
  /** When, in UTC. */
  readonly at: string;
  /** What was known before the BMC was asked: only that can be lost. */
  readonly held: Known;
}

/** What is known after a look; the same object where it says nothing new. A loss stays, and the highest tag. */
export function knownAfter<K extends Known>(
  parse: (text: string | null) => Tag,
  was: K,
  { text, over, at, held }: TagLook,
): K {
  const now = parse(text);
  const parsed = (tag: string | undefined) => (tag === undefined ? undefined : parse(tag));
  if (was.lost === undefined && isLost(parsed(held.tag), now)) {
    const found = now.kind === "blank" ? "empty" : "older";
    if (found === "older" || over || isLong(was.emptySince, at)) return { ...was, lost: { at, found } };
    return was.emptySince === undefined ? { ...was, emptySince: at } : was;
  }
  if (text !== null && isHigher(parsed(was.tag), now)) return { ...was, tag: text, emptySince: undefined };
  return was.emptySince !== undefined && now.kind !== "blank" ? { ...was, emptySince: undefined } : was;
}

const isLost = (highest: Tag | undefined, tag: Tag): boolean =>
  highest?.kind === "lineage" &&
  (tag.kind === "blank" || (tag.kind === "lineage" && tag.epoch < highest.epoch));

const isLong = (since: string | undefined, at: string): boolean =>
  since !== undefined && Date.parse(at) - Date.parse(since) > settle_ms;

const isHigher = (highest: Tag | undefined, tag: Tag): boolean =>
  tag.kind === "lineage" && (highest?.kind !== "lineage" || tag.epoch > highest.epoch);
