import * as v from "valibot";
import { DuetError } from "../../base/problem.ts";
import { asciiJson } from "../../base/text.ts";
import * as pacemaker from "../../machine/attributes.ts";
import type { Site } from "../../site/site.ts";
import { keepText, later_max, readAssetTags } from "./asset-tags.ts";
import type { Pacemaker } from "./attributes.ts";
import type { BmcFiles } from "./ways.ts";
import { readTests, testOf } from "./witness.ts";
import { saidAfter, tell } from "./witness-agreed.ts";
import { changeSaid, readSaid, toldShape } from "./witness-said.ts";
import { changeSeen, lostShape, readSeen, type TagsSeen } from "./witness-seen.ts";

const attribute = "duet-witness";
const attribute_ms = 2_000;
/** AssetTags are far shorter. */
const text_max = 256;

const named = <S extends v.GenericSchema>(each: S) => v.record(v.string(), each);
const shape = v.object({
  lost: named(v.object({ bmc: v.string(), test: v.string(), lost: lostShape })),
  texts: named(v.object({ bmc: v.string(), later: v.array(v.string()) })),
  // An older duet does not say it.
  says: v.optional(toldShape),
});
type Word = v.InferOutput<typeof shape>;

export interface WitnessWord {
  readonly site: Site;
  readonly me: string;
  readonly peerName: string;
  readonly files: Pick<BmcFiles, "witness" | "witnessSeen" | "witnessSaid" | "assetTags">;
  /** Does this machine hold all that its peer has served (witness-agreed.ts)? */
  readonly isPaired: boolean;
  readonly pacemaker?: Pick<Pacemaker, "setAttribute" | "attributeOf">;
}

/**
 * What one machine found out about the BMCs while the other was away, or looked a moment later: the one that saw a BMC without its tag
 * writes it anew, and the other, who may be the one to start alone, would trust that BMC still. And whether its site file has a witness: who
 * leaves no tag must know first that nobody goes by one. What is heard is on this disk before it is told that it was heard, and so is what is said.
 */
export async function shareWitness(at: WitnessWord): Promise<void> {
  const { site, me, peerName, files, isPaired, pacemaker: door = pacemaker } = at;
  const heard = await door.attributeOf(peerName, attribute, attribute_ms);
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), shape), heard);
  const theirs = parsed.success ? parsed.output : undefined;
  await changeSaid(files.witnessSaid, (was) => saidAfter(was, site.witness, theirs?.says, isPaired));
  const text = asciiJson(JSON.stringify(await wordOf(at)));
  const was = await door.attributeOf(me, attribute, attribute_ms);
  if (was !== text) await door.setAttribute(attribute, text, attribute_ms);
  if (theirs !== undefined) await take(at, theirs);
}

async function wordOf({ files }: WitnessWord): Promise<Word> {
  const lost = Object.entries(await readSeen(files.witnessSeen)).flatMap(([name, seen]) =>
    seen.lost === undefined ? [] : [[name, { bmc: seen.bmc, test: seen.test, lost: seen.lost }] as const],
  );
  const texts = Object.entries(await readable(files.assetTags)).flatMap(([name, { bmc, later = [] }]) =>
    later.length === 0
      ? []
      : [[name, { bmc, later: later.filter((each) => each.length <= text_max) }] as const],
  );
  const says = tell(await readSaid(files.witnessSaid));
  return { lost: Object.fromEntries(lost), texts: Object.fromEntries(texts), says };
}

async function take({ site, files }: WitnessWord, { lost, texts }: Word): Promise<void> {
  const tests = await readTests(files.witness);
  for (const { name, bmc } of site.machines) {
    const theirs = lost[name];
    const test = testOf(site, tests, name);
    const isKnown = (all: TagsSeen) => all[name]?.lost !== undefined && all[name].test === test?.at;
    if (theirs?.bmc === bmc.url && theirs.test === test?.at && !isKnown(await readSeen(files.witnessSeen)))
      await changeSeen(files.witnessSeen, (all) => {
        const known = all[name];
        const same = known?.bmc === theirs.bmc && known.test === theirs.test ? known : {};
        return isKnown(all) ? all : { ...all, [name]: { ...same, ...theirs } };
      });
    const said = texts[name];
    const kept = (await readable(files.assetTags))[name];
    const all = [kept?.text, ...(kept?.later ?? [])];
    const news = said?.bmc === bmc.url ? said.later.filter((text) => !all.includes(text)) : [];
    // With no room for more nothing is taken: the two would push out each other's for ever.
    for (const text of news.slice(0, later_max - (kept?.later ?? []).length))
      await keepText({ name, bmc }, text, files.assetTags);
  }
}

/** One that can't be understood is nobody's to replace, and setup and uninstall say so. */
const readable: typeof readAssetTags = async (path) => {
  try {
    return await readAssetTags(path);
  } catch (error) {
    if (error instanceof DuetError) return {};
    throw error;
  }
};
