import { paths } from "../../base/paths.ts";
import { DuetError, fail } from "../../base/problem.ts";
import { problemOf } from "../../redfish/failure.ts";
import { type AssetTags, changeAssetTags, readAssetTags } from "../hands/asset-tags.ts";
import { isOurs } from "../hands/tag.ts";
import { bmcEffect_ms } from "../hands/times.ts";
import type { Ways } from "../hands/ways.ts";

export interface KeepTags {
  readonly ways: Ways;
  readonly say: (detail: string) => void;
  /** This machine has never held data: its site may not have begun yet. */
  readonly firstStart: boolean;
  /** Where systemd runs this again and again: after so many refused logins the next try has to wait (src/machine/refusals.ts). */
  readonly waitsAfter?: number;
}

/**
 * Before the first tag is written by anybody: what stands in both BMCs. Both machines keep both, so that one with a new disk is
 * no loss. What is kept is never replaced, and a text of duet's own is no earlier one.
 */
export async function keepAssetTags(
  { ways, say, firstStart, waitsAfter }: KeepTags,
  path: string = paths.assetTags,
): Promise<void> {
  const { site } = ways;
  if (site.witness === "off") return say("the site has no witness");
  const known = await readAssetTags(path);
  const found: AssetTags = {};
  for (const side of ["mine", "theirs"] as const) {
    const { name, bmc } = ways[side];
    if (known[name]?.bmc === bmc.url) continue;
    const read = await (await ways.bmc(side, bmcEffect_ms(site), waitsAfter)).readTag();
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
  // What a takeover has kept meanwhile came first.
  await changeAssetTags(path, (was) => {
    const isNew = ([name, { bmc }]: readonly [string, AssetTags[string]]) => was[name]?.bmc !== bmc;
    return { ...was, ...Object.fromEntries(Object.entries(found).filter(isNew)) };
  });
}

/** A site with a witness does not even begin where a BMC has no place for its tag. */
const noTag = (name: string, where: string): never =>
  fail(
    "DUET-E-WITNESS-NO-TAG",
    where,
    `the BMC of ${name} has no AssetTag, and the site file asks for a witness`,
    "write `witness: off` into the site file of both machines, and render or set up again: starting alone then needs a human; or update the BMC's firmware",
  );
