import { randomBytes } from "node:crypto";
import type { Effects } from "../../act/effects.ts";
import { paths } from "../../base/paths.ts";
import { fail } from "../../base/problem.ts";
import { asciiJson } from "../../base/text.ts";
import { now_ms, sleep } from "../../machine/clock.ts";
import { lastingAttributes, type LastingAttributes, writeLasting } from "../../machine/fence-times.ts";
import { orderedMachines } from "../../render/corosync.ts";
import type { Site } from "../../site/site.ts";
import { keepForeign } from "../hands/bmc.ts";
import { begunTest, noteTest, putBack } from "../hands/left-test.ts";
import { isOtherSites, isTestTag, testTag } from "../hands/tag.ts";
import { bmcEffect_ms } from "../hands/times.ts";
import type { Ways } from "../hands/ways.ts";
import {
  needsHuman,
  parseTagTest,
  readTests,
  readWitness,
  type TagTest,
  type TagTests,
  testOf,
  writeWitness,
} from "../hands/witness.ts";
import { fenceable } from "./fencing.ts";
import { whole } from "./ready.ts";
import { tryTag } from "./tag-test.ts";

/** What a test showed, as a lasting attribute of the machine whose BMC it is: the other machine learns it there. */
const attribute = "duet-tag-test";
const testing = "testing since ";
const whole_ms = 60_000;
/** So long a peer that is not at it is waited for: setup can be run on one machine alone. */
const leave_ms = 60_000;
/** So long after the command the other has noted that it begins. */
const begin_ms = 5_000;
/** A test that is under way ends by then. */
const test_ms = 20 * 60_000;

export interface WitnessTest {
  readonly ways: Ways;
  readonly effects: Pick<Effects, "disk" | "attributes" | "bmc">;
  readonly say: (detail: string) => void;
  /** Whatever was seen before. */
  readonly again: boolean;
}

/**
 * Each machine tests its peer's BMC: it is the one that fences by it, and that knows when it can do so again. So no BMC is tested by two
 * at once; and by name one comes after the other, so that never both are away. What it shows both machines keep beside their
 * data: a machine that starts alone has nobody to ask.
 */
export async function proveWitness(test: WitnessTest): Promise<void> {
  const { ways, say, again } = test;
  const { site, mine, theirs } = ways;
  const first = orderedMachines(site)[0]?.name === mine.name;
  let known = await allKnown(site);
  if (!again && !first) known = await waitFor(test, mine.name, known, `waits: ${theirs.name} goes first`);
  if (again || testOf(site, known, theirs.name) === undefined) {
    await othersTurn(test, again && !first);
    await testPeers(test);
  }
  known = await waitFor(test, mine.name, await allKnown(site), `waits for ${theirs.name} to do the same`);
  await writeWitness(known);
  say(needsHuman(site, known) ?? "both BMCs keep their tag");
}

/** Where both test anew in the same moment, who comes second by name lets the other begin; and nobody begins beside a test that is under way. */
async function othersTurn({ ways: { mine, theirs }, say }: WitnessTest, yields: boolean): Promise<void> {
  if (yields) await sleep(begin_ms);
  while (isUnderWay((await lastingAttributes())?.get(mine.name)?.get(attribute), Date.now())) {
    say(`waits: ${theirs.name} tests the BMC of ${mine.name}`);
    await sleep(500);
  }
}

async function testPeers({ ways, effects, say }: WitnessTest): Promise<void> {
  const { site, theirs } = ways;
  const { name, bmc } = theirs;
  await whole(effects, say, whole_ms);
  await refuseOthers(ways);
  const before = (await allKnown(site))[name];
  // From here on nothing is proven: a test that is cut off is begun anew.
  await forget(name);
  const text = testTag(site, randomBytes(4).toString("hex").slice(0, 7));
  const client = () => ways.bmc("theirs", bmcEffect_ms(site));
  const keep = (before: string | null) => keepBefore(ways, text, before);
  const { result, said } = await tryTag({ client, where: bmc.url, text, keep, say });
  await putTagBack(ways, effects, text);
  // With the peer lost in between, a takeover may have written what was read.
  await whole(effects, () => undefined, whole_ms);
  const at = laterThan(before, Date.now());
  const done: TagTest = { bmc: bmc.url, result, said: said.slice(0, 500), at };
  await writeLasting(name, attribute, asciiJson(JSON.stringify(done)));
  say("sees that it can fence again");
  await fenceable(name);
}

/** The test's text would take another site's witness away. */
export async function refuseOthers(ways: Ways): Promise<void> {
  const { site, theirs } = ways;
  const seen = await (await ways.bmc("theirs", bmcEffect_ms(site))).readTag();
  if (!seen.ok || !isOtherSites(site, seen.value.tag)) return;
  fail(
    "DUET-E-WITNESS-OTHER-SITE",
    theirs.bmc.url,
    `the BMC of ${theirs.name} holds the tag of another duet site (${seen.value.tag}), which is never written over`,
    "see which site relies on this BMC; only if none does, empty the asset tag on its pages, and run `duet setup` again",
  );
}

/** Of two tests the later one counts, also where the clock was set back between them. */
export const laterThan = (before: TagTest | undefined, now_ms: number): string =>
  new Date(Math.max(now_ms, before === undefined ? 0 : Date.parse(before.at) + 1)).toISOString();

async function forget(name: string): Promise<void> {
  const { [name]: _, ...rest } = await readWitness();
  await writeWitness(rest);
  await writeLasting(name, attribute, `${testing}${new Date().toISOString()}`);
}

/**
 * So that a test that is cut off leaves nothing behind: whoever looks at this BMC from here next puts it back. Where an earlier one has
 * left its text, what stood there before that one.
 */
export async function keepBefore(ways: Ways, text: string, before: string | null): Promise<void> {
  const { site, theirs, files } = ways;
  if (files === undefined) return;
  await keepForeign(ways, "theirs", before);
  const { url } = theirs.bmc;
  const earlier = await begunTest(files.tagTest);
  const known = earlier?.bmc === url && earlier.text === before ? earlier.before : null;
  await noteTest(files.tagTest, { bmc: url, text, before: isTestTag(site, before) ? known : before });
}

/**
 * First exactly what was there: it may be a tag above the own lineage, and no tag is ever lowered. Then the site's own, where that is
 * higher, or something else stood there.
 */
export async function putTagBack(
  ways: Ways,
  effects: {
    readonly disk: Pick<Effects["disk"], "readState">;
    readonly bmc: Pick<Effects["bmc"], "raiseTag">;
  },
  text: string,
): Promise<void> {
  const tag_ms = 2 * bmcEffect_ms(ways.site);
  await putTestBack(ways);
  const state = await effects.disk.readState();
  const lineage = state.ok ? state.value.lineage : undefined;
  if (lineage !== undefined && (await effects.bmc.raiseTag("theirs", lineage, tag_ms)).ok) return;
  const left = await (await ways.bmc("theirs", bmcEffect_ms(ways.site))).readTag();
  if (!left.ok || left.value.tag !== text) return;
  fail(
    "DUET-E-WITNESS-TEXT-LEFT",
    ways.theirs.bmc.url,
    `the site's tag can't be written in place of the test's text ${text}`,
    "see to the BMC: what stood there before goes back as soon as it takes it; then `duet setup` again, which tests anew",
  );
}

async function putTestBack(ways: Ways): Promise<void> {
  const path = ways.files?.tagTest;
  const test = path === undefined ? undefined : await begunTest(path);
  if (path === undefined || test === undefined) return;
  const client = await ways.bmc("theirs", 2 * bmcEffect_ms(ways.site));
  const seen = await client.readTag();
  if (seen.ok) await putBack(client, test, seen.value, path);
}

/** By a machine's own file, and by what the cluster knows: of two the later one. */
async function allKnown(site: Site): Promise<TagTests> {
  const own = await readWitness();
  return newest(site, own, (await lastingAttributes()) ?? new Map());
}

/** A test that the peer made since is taken from where it told it: whoever starts alone goes by its own file. */
export async function adoptTests(site: Site, lasting: LastingAttributes): Promise<void> {
  const kept = await readTests(paths.witness);
  const known = newest(site, kept, lasting);
  if (Object.entries(known).some(([name, { at }]) => kept[name]?.at !== at))
    await writeWitness({ ...kept, ...known });
}

export function newest(site: Site, own: TagTests, lasting: LastingAttributes): TagTests {
  const found = site.machines.flatMap(({ name, bmc }) => {
    const told = [own[name], parseTagTest(lasting.get(name)?.get(attribute))];
    const [best] = told
      .filter((each) => each !== undefined && each.bmc === bmc.url)
      .toSorted((a, b) => Date.parse(b?.at ?? "") - Date.parse(a?.at ?? ""));
    return best === undefined ? [] : [[name, best] as const];
  });
  return Object.fromEntries(found);
}

/** Until the test of that machine's BMC is known, or nobody is at it. */
async function waitFor(
  { ways: { site }, say }: WitnessTest,
  name: string,
  before: TagTests,
  waits: string,
): Promise<TagTests> {
  let known = before;
  for (let last_ms = now_ms(); testOf(site, known, name) === undefined; known = await allKnown(site)) {
    const told = (await lastingAttributes())?.get(name)?.get(attribute);
    if (isUnderWay(told, Date.now())) last_ms = now_ms();
    if (now_ms() - last_ms > leave_ms) return known;
    say(waits);
    await sleep(500);
  }
  return known;
}

export function isUnderWay(told: string | undefined, at_ms: number): boolean {
  const since_ms = told?.startsWith(testing) === true ? Date.parse(told.slice(testing.length)) : Number.NaN;
  return Math.abs(at_ms - since_ms) < test_ms;
}
