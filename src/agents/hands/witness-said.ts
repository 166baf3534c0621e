import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { readIfThere } from "../../machine/files.ts";
import type { Site } from "../../site/site.ts";
import { agreedOn, nothing_said, type SaidByBoth, unknown_said } from "./witness-agreed.ts";
import { changeNoted } from "./witness-seen.ts";

const said = {
  witness: v.picklist(["on", "off"]),
  number: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
};
const shape = v.object({
  mine: v.object({ ...said, heard: v.boolean() }),
  theirs: v.optional(v.object(said)),
});
export const toldShape = v.object({ ...said, noted: said.number });

export async function readSaid(path: string = paths.witnessSaid): Promise<SaidByBoth> {
  const text = await readIfThere(path);
  if (text === undefined) return nothing_said;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  return parsed.success ? { mine: parsed.output.mine, theirs: parsed.output.theirs } : unknown_said;
}

export const changeSaid = (path: string, change: (was: SaidByBoth) => SaidByBoth): Promise<SaidByBoth> =>
  changeNoted(path, readSaid, change);

/** Has this machine to write tags, and to look after them? Also where its own site file says `off`, until its peer says so too. */
export const areTagsWritten = async (
  { witness }: Pick<Site, "witness">,
  path: string = paths.witnessSaid,
): Promise<boolean> => agreedOn(await readSaid(path), witness) !== "off";
