import type { Tag } from "../../src/decide/facts.ts";

/** What a BMC's asset tag says. */
export function readTag(text: string): Tag {
  if (text === "") return { kind: "blank" };
  const [, epoch, owner] = /^duet (\d+) (node[12])$/.exec(text) ?? [];
  if (epoch === undefined || owner === undefined) return { kind: "foreign" };
  return { kind: "lineage", epoch: Number(epoch), owner };
}

/** As another duet site writes its own: that one is never written over. */
export const other_site = "duet:0000:7:node1";

/** No tag of this site begins so here. */
export const isOtherSite = (text: string | undefined): boolean => text?.startsWith("duet:") === true;
