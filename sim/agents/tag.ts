import type { Tag } from "../../src/decide/facts.ts";

/** What a BMC's asset tag says. */
export function readTag(text: string): Tag {
  if (text === "") return { kind: "blank" };
  const [, epoch, owner] = /^duet (\d+) (node[12])$/.exec(text) ?? [];
  if (epoch === undefined || owner === undefined) return { kind: "foreign" };
  return { kind: "lineage", epoch: Number(epoch), owner };
}
