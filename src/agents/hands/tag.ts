import { createHash } from "node:crypto";
import type { Lineage, Tag } from "../../decide/facts.ts";
import { epoch_max } from "../../decide/lineage.ts";
import { orderedMachines } from "../../render/corosync.ts";
import type { Site } from "../../site/site.ts";

/** What a site's tags have in front. Other machine names make another site: an owner is written as his number among them. */
export function siteHash(site: Site): string {
  const names = orderedMachines(site).map(({ name }) => name);
  return createHash("sha256")
    .update(JSON.stringify([site.name, ...names]))
    .digest("hex")
    .slice(0, 12);
}

/**
 * `duet:<site hash>:<epoch>:<owner>`, at most 30 characters: BMCs keep 31, and a name may have 63. The owner is 1 for the machine
 * whose name comes first and 2 for the other, as in Corosync's node list.
 */
export function tagText(site: Site, { epoch, owner }: Lineage): string {
  const number = 1 + orderedMachines(site).findIndex(({ name }) => name === owner);
  if (number === 0) throw new Error(`bug: ${owner} is no machine of this site`);
  if (!Number.isInteger(epoch) || epoch < 0 || epoch > epoch_max) throw new Error(`bug: epoch ${epoch}`);
  return `duet:${siteHash(site)}:${epoch}:${number}`;
}

/**
 * A text for a test of a BMC, as long as the longest tag. To every rule it is foreign: nobody writes over it but a takeover, and
 * it can't make anybody start. What a test that was cut off has left goes at its machine's next look (left-test.ts). `nonce`: seven
 * hexadecimal digits.
 */
export const testTag = (site: Site, nonce: string): string => `duet:${siteHash(site)}:test:${nonce}`;

export const isTestTag = (site: Site, text: string | null): boolean =>
  text?.startsWith(testTag(site, "")) === true;

/** Is this text duet's, of this site: a tag, or what a test that was cut off has left? */
export const isOurs = (site: Site, text: string | null): boolean =>
  text?.startsWith(`duet:${siteHash(site)}:`) === true;

/**
 * A tag of another duet site, or the text of its test: that site relies on this BMC. It is never written over, since two sites
 * that share a BMC by mistake would erase each other's witness.
 */
export const isOtherSites = (site: Site, text: string | null): boolean =>
  text !== null &&
  /^duet:[0-9a-f]{12}:(?:(?:0|[1-9][0-9]{0,9}):[12]|test:[0-9a-f]{7})$/.test(text) &&
  !isOurs(site, text);

/** What a BMC's tag says. Only what duet would write itself is one of duet's. */
export function parseTag(site: Site, text: string | null): Tag {
  if (text === null || text.trim() === "") return { kind: "blank" };
  const [, hash, epoch, number] = /^duet:([0-9a-f]{12}):(0|[1-9][0-9]{0,9}):([12])$/.exec(text) ?? [];
  const owner = orderedMachines(site)[Number(number) - 1]?.name;
  if (hash !== siteHash(site) || epoch === undefined || owner === undefined) return { kind: "foreign" };
  return { kind: "lineage", epoch: Number(epoch), owner };
}
