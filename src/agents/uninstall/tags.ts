import { DuetError } from "../../base/problem.ts";
import { problemOf, type Result } from "../../redfish/failure.ts";
import { type AssetTags, earlierText } from "../hands/asset-tags.ts";
import { isOurs } from "../hands/tag.ts";
import { bmcEffect_ms } from "../hands/times.ts";
import type { Ways } from "../hands/ways.ts";
import type { Plan } from "./plan.ts";

const writes_max = 3;

/**
 * Of the own BMC; the last machine looks after both: its peer's tag may have been written again since. A site whose witness was switched off
 * later has tags in its BMCs, too, and texts from before them: what is kept tells that. Forced, a BMC that does not answer is left, and what stood
 * there is told.
 */
export async function putTextsBack(
  ways: Ways,
  kept: AssetTags,
  { last, force }: Pick<Plan, "last" | "force">,
): Promise<readonly string[]> {
  if (ways.site.witness === "off" && Object.keys(kept).length === 0)
    return [
      "the site has no witness, and no earlier text is kept: the asset tags of the BMCs are left as they are",
    ];
  const told: string[] = [];
  for (const side of last ? (["mine", "theirs"] as const) : (["mine"] as const))
    try {
      told.push(await putTextBack(ways, side, kept));
    } catch (error) {
      if (force === null || !(error instanceof DuetError)) throw error;
      told.push(tagLeft(ways, side, kept, error.message));
    }
  return told;
}

/**
 * Puts back what stood in a BMC's asset tag before duet, or what somebody wrote there later and a takeover wrote over. A text that is
 * not duet's was written by somebody since: it stays. Where nobody knows what stood there (the machine has a new disk) the tag is
 * emptied. One sentence about what was done.
 */
export async function putTextBack(ways: Ways, side: "mine" | "theirs", kept: AssetTags): Promise<string> {
  const { site } = ways;
  const { name, bmc } = ways[side];
  const client = await ways.bmc(side, 2 * bmcEffect_ms(site));
  const earlier = earlierText(site, kept, name);
  const text = earlier?.text ?? "";
  for (let tries = 1; ; tries += 1) {
    const seen = await client.readTag();
    if (!seen.ok && seen.failure.kind === "unsupported")
      return `the BMC of ${name} has no asset tag${stood(earlier, null)}`;
    const { tag, etag } = must(seen, bmc.url);
    if (!isOurs(site, tag))
      return `the asset tag of ${name} says ${JSON.stringify(tag ?? "")}, which is not duet's: it stays${stood(earlier, tag)}`;
    const taken = await client.writeTag(text, etag);
    if (!taken.ok && taken.failure.kind === "changed" && tries < writes_max) continue;
    must(taken, bmc.url);
    const now = must(await client.readTag(), bmc.url).tag ?? "";
    if (isOurs(site, now))
      throw new DuetError([
        {
          code: "DUET-E-UNINSTALL-TAG",
          where: bmc.url,
          what: `the BMC of ${name} took the earlier asset tag and still shows duet's`,
          fix: "write it yourself on the BMC's own pages, then `duet uninstall` again",
        },
      ]);
    return earlier === undefined
      ? `the asset tag of ${name} is empty now: what stood there before duet is not known`
      : `the asset tag of ${name} says ${JSON.stringify(now)} again${beforeThat(earlier.older)}`;
  }
}

/** For a forced uninstall. duet's own note of the earlier text goes with duet: who puts it back later finds it in this sentence. */
export function tagLeft(ways: Ways, side: "mine" | "theirs", kept: AssetTags, why: string): string {
  const { site } = ways;
  const { name } = ways[side];
  const earlier = earlierText(site, kept, name);
  const before =
    earlier === undefined
      ? "is not known"
      : `was ${JSON.stringify(earlier.text ?? "")}${beforeThat(earlier.older)}`;
  return `the asset tag of ${name} is left as it is, and what stood there before duet ${before}: ${why}`;
}

/** duet's own note of a text goes with duet: one that is not put back is told. */
const stood = (earlier: ReturnType<typeof earlierText>, now: string | null): string =>
  !earlier?.text || earlier.text === now
    ? ""
    : `; before duet it said ${JSON.stringify(earlier.text)}${beforeThat(earlier.older)}`;

const beforeThat = (older: readonly string[]): string =>
  older.length === 0 ? "" : `; earlier it said ${older.map((each) => JSON.stringify(each)).join(", then ")}`;

function must<T>(result: Result<T>, where: string): T {
  if (result.ok) return result.value;
  throw new DuetError([problemOf(result.failure, where)]);
}
