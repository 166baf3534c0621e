import { dirname } from "node:path";
import * as v from "valibot";
import { paths } from "../../base/paths.ts";
import type { Facts } from "../../decide/facts.ts";
import { makeFolder, readIfThere, replaceSynced } from "../../machine/files.ts";
import type { Site } from "../../site/site.ts";
import { agreedOn, type SaidByBoth } from "./witness-agreed.ts";
import { lostText, readSeen } from "./witness-seen.ts";

/**
 * What a test showed: `kept` over a reset of the BMC, or why its tag is not trusted. `accepted`: an answer of 202; `staged`: a new
 * tag does not read back at once; `none`: there is no place for one; `refused`: it takes none; `untestable`: it could not be seen to
 * restart; `lost`: it did not come back.
 */
export const tagResults = [
  "kept",
  "forgot",
  "accepted",
  "staged",
  "none",
  "refused",
  "untestable",
  "lost",
] as const;
export type TagResult = (typeof tagResults)[number];

export const tagTestShape = v.object({
  /** Another BMC in its place was not tested. */
  bmc: v.string(),
  result: v.picklist(tagResults),
  said: v.pipe(v.string(), v.maxLength(500)),
  /** On the clock of the machine that tested: always the same one for a BMC. */
  at: v.pipe(v.string(), v.isoTimestamp()),
});
export type TagTest = v.InferOutput<typeof tagTestShape>;

const shape = v.record(v.string(), tagTestShape);
/** By the machine whose BMC it is. */
export type TagTests = Readonly<Record<string, TagTest>>;

export function parseTagTest(text: string | undefined): TagTest | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), tagTestShape), text);
  return parsed.success ? parsed.output : undefined;
}

/**
 * What the tests showed, and what was seen since: a BMC that has lost a tag after its test forgets, whatever the test showed. Only a
 * later test ends that.
 */
export async function readWitness(
  path: string = paths.witness,
  seenPath: string = paths.witnessSeen,
): Promise<TagTests> {
  const tests = await readTests(path);
  const seen = await readSeen(seenPath);
  const all = Object.entries(tests).map(([name, test]): [string, TagTest] => {
    const since = seen[name];
    if (since?.lost === undefined || since.bmc !== test.bmc || since.test !== test.at) return [name, test];
    return [name, { ...test, result: "forgot", said: lostText(since.lost) }];
  });
  return Object.fromEntries(all);
}

/** A file that is missing or torn says that nothing was tested: then nobody starts alone, which is the safe mistake. */
export async function readTests(path: string): Promise<TagTests> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), await readIfThere(path));
  return parsed.success ? parsed.output : {};
}

export async function writeWitness(tests: TagTests, path: string = paths.witness): Promise<void> {
  await makeFolder(dirname(path));
  await replaceSynced(path, `${JSON.stringify(tests, null, 1)}\n`);
}

/** Of the BMC that the machine has now. */
export const testOf = (
  { machines }: Pick<Site, "machines">,
  tests: TagTests,
  name: string,
): TagTest | undefined => {
  const test = tests[name];
  return test?.bmc === machines.find((m) => m.name === name)?.bmc.url ? test : undefined;
};

export function witnessOf(
  site: Pick<Site, "machines" | "witness">,
  tests: TagTests,
  said: SaidByBoth,
): Facts["witness"] {
  const agreed = agreedOn(said, site.witness);
  if (agreed !== "on") return agreed === "off" ? "off" : "unproven";
  return site.machines.every(({ name }) => testOf(site, tests, name)?.result === "kept") ? "on" : "unproven";
}

/** Why a lone machine of this site can't start by itself, in one sentence; undefined where it can. */
export function needsHuman(
  site: Pick<Site, "machines" | "witness">,
  tests: TagTests,
  isApart = false,
): string | undefined {
  const begin = "starting alone needs a human";
  if (site.witness === "off") return `${begin}: the site file says \`witness: off\``;
  if (isApart)
    return `${begin}: the site file said \`witness: off\` before, and the two machines have not been 1+1 since both know that it says \`on\` again`;
  const wrong = site.machines.flatMap(({ name }) => {
    const test = testOf(site, tests, name);
    if (test?.result === "kept") return [];
    return [`the BMC of ${name} ${test === undefined ? "was not tested" : test.said}`];
  });
  return wrong.length === 0 ? undefined : `${begin}: ${wrong.join(", and ")}`;
}
