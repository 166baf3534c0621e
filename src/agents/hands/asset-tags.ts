import { dirname } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import { fail } from "../../base/problem.ts";
import { makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";
import { lockFile, lockOf } from "../../machine/lock.ts";
import type { Machine, Site } from "../../site/site.ts";

const shape = v.record(
  v.string(),
  v.object({ bmc: v.string(), text: v.nullable(v.string()), later: v.optional(v.array(v.string())) }),
);
/**
 * By the machine whose BMC it is. `text`: what setup found; null where the BMC had a place for a tag and nothing in it. `later`: what
 * somebody wrote there since, in this order, and a takeover had to write over.
 */
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

/** By what stands there in that moment: several of duet's programs may keep a text at once. */
export async function changeAssetTags(path: string, change: (was: AssetTags) => AssetTags): Promise<void> {
  await makeFolder(dirname(path));
  await using lock = await lockFile(lockOf(path));
  void lock;
  const was = await readAssetTags(path);
  const next = change(was);
  if (next !== was) await replaceSynced(path, `${JSON.stringify(next, null, 1)}\n`);
}

/** So many later texts are kept: who writes more often does not stop. */
export const later_max = 8;

/** Before a tag is written over a text that is not duet's. What setup found is never replaced. */
export async function keepText(
  { name, bmc }: Pick<Machine, "name" | "bmc">,
  text: string,
  path: string,
): Promise<void> {
  await changeAssetTags(path, (known) => {
    const kept = known[name];
    if (kept?.bmc !== bmc.url) return { ...known, [name]: { bmc: bmc.url, text } };
    const later = kept.later ?? [];
    if ((later.at(-1) ?? kept.text) === text) return known;
    return { ...known, [name]: { ...kept, later: [...later, text].slice(-later_max) } };
  });
}

/**
 * What is to stand there again, of the BMC that the machine has now; undefined where nobody knows. The newest: whoever wrote it, an
 * inventory perhaps, meant it to replace the one before. `older`: what else is kept.
 */
export const earlierText = (
  { machines }: Pick<Site, "machines">,
  kept: AssetTags,
  name: string,
): { readonly text: string | null; readonly older: readonly string[] } | undefined => {
  const known = kept[name];
  if (known?.bmc !== machines.find((m) => m.name === name)?.bmc.url || known === undefined) return undefined;
  const all = [known.text, ...(known.later ?? [])];
  return { text: all.at(-1) ?? null, older: all.slice(0, -1).flatMap((each) => (each ? [each] : [])) };
};
