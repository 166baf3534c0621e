import { dirname } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { DuetError, fail } from "../../base/problem.ts";
import { makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";
import { problemOf } from "../../redfish/failure.ts";
import type { Site } from "../../site/site.ts";
import { isOurs } from "../hands/tag.ts";
import { bmcEffect_ms } from "../hands/times.ts";
import type { Ways } from "../hands/ways.ts";

const shape = v.record(v.string(), v.object({ bmc: v.string(), text: v.nullable(v.string()) }));
/** By the machine whose BMC it is. `text`: null where the BMC had a place for a tag and nothing in it. */
export type AssetTags = v.InferOutput<typeof shape>;

/** A file that can't be understood is nobody's to replace: what stood in the BMCs is in it, and nowhere else. */
export async function readAssetTags(path: string = paths.assetTags): Promise<AssetTags> {
  const text = await readIfThere(path);
  if (text === undefined) return {};
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), text);
  if (parsed.success) return parsed.output;
  return fail(
    "DUET-E-ASSET-TAGS",
    path,
    "this is not what duet keeps of the BMCs' earlier asset tags",
    "move the file away: what the BMCs had before duet is then not put back by `duet uninstall`",
  );
}

export interface KeepTags {
  readonly ways: Ways;
  readonly say: (detail: string) => void;
  /** This machine has never held data: its site may not have begun yet. */
  readonly firstStart: boolean;
}

/**
 * Before the first tag is written by anybody: what stands in both BMCs. Both machines keep both, so that one with a new disk is
 * no loss. What is kept is never replaced, and a text of duet's own is no earlier one.
 */
export async function keepAssetTags(
  { ways, say, firstStart }: KeepTags,
  path: string = paths.assetTags,
): Promise<void> {
  const { site } = ways;
  if (site.witness === "off") return say("the site has no witness");
  const known = await readAssetTags(path);
  const found: AssetTags = {};
  for (const side of ["mine", "theirs"] as const) {
    const { name, bmc } = ways[side];
    if (known[name]?.bmc === bmc.url) continue;
    const read = await (await ways.bmc(side, bmcEffect_ms(site))).readTag();
    if (!read.ok && read.failure.kind === "unsupported") {
      if (firstStart) noTag(name, bmc.url);
      continue;
    }
    if (!read.ok) throw new DuetError([problemOf(read.failure, bmc.url)]);
    const { tag } = read.value;
    if (!isOurs(site, tag)) found[name] = { bmc: bmc.url, text: tag };
  }
  const names = Object.keys(found);
  say(names.length === 0 ? "nothing to keep" : `of ${names.join(" and ")}`);
  if (names.length === 0) return;
  await makeFolder(dirname(path));
  await replaceSynced(path, `${JSON.stringify({ ...known, ...found }, null, 1)}\n`);
}

/** A site with a witness does not even begin where a BMC has no place for its tag. */
const noTag = (name: string, where: string): never =>
  fail(
    "DUET-E-WITNESS-NO-TAG",
    where,
    `the BMC of ${name} has no AssetTag, and the site file asks for a witness`,
    "write `witness: off` into the site file of both machines, and render or set up again: starting alone then needs a human; or update the BMC's firmware",
  );

/** The text that was there before duet, of the BMC that the machine has now; undefined where nobody knows. */
export const earlierText = (
  { machines }: Pick<Site, "machines">,
  kept: AssetTags,
  name: string,
): { readonly text: string | null } | undefined => {
  const known = kept[name];
  return known?.bmc === machines.find((m) => m.name === name)?.bmc.url ? known : undefined;
};
