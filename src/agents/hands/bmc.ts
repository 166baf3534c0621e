import {
  type Bmc,
  type BmcEffects,
  done,
  failed,
  type MayReplace,
  type OffSwitch,
  type Outcome,
  success,
} from "../../act/effects.ts";
import type { Facts, Lineage, Tag } from "../../decide/facts.ts";
import { epoch_max, raising } from "../../decide/lineage.ts";
import { now_ms } from "../../machine/clock.ts";
import type { RedfishClient, Tag as RedfishTag } from "../../redfish/client.ts";
import { keepText } from "./asset-tags.ts";
import { leftTest, putBackSafely } from "./left-test.ts";
import { attempt, timer, within } from "./outcome.ts";
import {
  commandOutletOff,
  type OutletsRead,
  outletSwitches,
  readOutlets,
  silentOutlets,
  switchOutletsOn,
} from "./outlets.ts";
import { isOtherSites, isOurs, parseTag, tagText } from "./tag.ts";
import { note_ms, watchTag } from "./tag-watch.ts";
import { commanded, told, type Ways, waits } from "./ways.ts";

export function bmcEffects(ways: Ways): BmcEffects {
  const outlets = outletSwitches(ways.theirs);
  return {
    peerPower: (deadline_ms, by) => attempt(() => peerPower(ways, deadline_ms, by)),
    offWays: outlets.length === 0 ? [["BMC"]] : [["BMC"], outlets],
    commandOff: (at, deadline_ms, send_ms = deadline_ms / 4) =>
      attempt(() => commandOff(ways, at, deadline_ms, send_ms)),
    commandOn: (deadline_ms) => attempt(() => commandOn(ways, deadline_ms)),
    raiseTag: (bmc, lineage, deadline_ms, may) =>
      attempt(() => raiseTag(ways, bmc, lineage, deadline_ms, may)),
  };
}

/** What one look at a BMC gave; undefined is what it did not tell. */
export interface Look {
  readonly power: string | undefined;
  readonly tag: Tag;
  /** Why not. */
  readonly why: string;
}

interface Shown {
  readonly power: string | undefined;
  readonly text: string | null | undefined;
}

async function look(
  ways: Ways,
  side: Bmc,
  deadline_ms: number,
  waitsAfter: number = waits.look,
): Promise<Look> {
  const where = `the BMC of ${ways[side].name}`;
  const unreadable = { power: undefined, tag: { kind: "unreadable" } } as const;
  const seen = await attempt(async (): Promise<Outcome<Shown>> => {
    const watched = await watchTag(ways, side);
    const client = await ways.bmc(side, deadline_ms, waitsAfter);
    const read = await client.look();
    if (!read.ok) return told(ways, read.failure, where, deadline_ms);
    const { power, tag } = read.value;
    if (tag === undefined) return success({ power, text: undefined });
    const text = await withoutTest(ways, side, client, tag);
    await watched(text);
    return success({ power, text });
  });
  if (!seen.ok) return { ...unreadable, why: seen.failure.said };
  const { power, text } = seen.value;
  return {
    power,
    tag: text === undefined ? unreadable.tag : parseTag(ways.site, text),
    why: `${where} tells no power`,
  };
}

/** Each machine tests its peer's BMC alone, so what is left in its own is its peer's. */
async function withoutTest(
  { files, theirs }: Ways,
  side: Bmc,
  client: RedfishClient,
  seen: RedfishTag,
): Promise<string | null> {
  if (files === undefined || side === "mine") return seen.tag;
  const left = await within(note_ms, async () => success(await leftTest(files.tagTest)));
  if (!left.ok || left.value?.bmc !== theirs.bmc.url) return seen.tag;
  return (await putBackSafely(client, left.value, seen, files.tagTest)).tag;
}

/**
 * By the BMC; where that does not answer, by the outlets. Never the other way round: a BMC that still says On has power from
 * somewhere else, and so may its machine. Only `Off` means Off: a machine that is powering off still runs.
 */
const powerOf = (bmc: string | undefined, outlets: OutletsRead["power"]): Facts["peerPower"] =>
  bmc === undefined ? outlets : bmc === "Off" ? "off" : "on";

interface PeerLook extends Look, Pick<Facts, "peerPower"> {
  readonly outlets: OutletsRead;
}

/** All are asked at once. With an outlet to ask the BMC gets half a call's time: the answer is wanted in any case. */
export async function lookAtPeer(ways: Ways, deadline_ms: number): Promise<PeerLook> {
  const bmc_ms = ways.theirs.pdus.length === 0 ? deadline_ms : Math.min(deadline_ms, ways.call_ms) / 2;
  const [seen, outlets] = await Promise.all([look(ways, "theirs", bmc_ms), readOutlets(ways, deadline_ms)]);
  return { ...seen, outlets, peerPower: powerOf(seen.power, outlets.power) };
}

/** For one picture of the world: both BMCs and the outlets at once, and nothing waits for a second longer than the patience. */
export async function readBmcs(ways: Ways, patience_ms: number): Promise<Pick<Facts, "peerPower" | "tags">> {
  const [mine, theirs] = await Promise.all([look(ways, "mine", patience_ms), lookAtPeer(ways, patience_ms)]);
  return { peerPower: theirs.peerPower, tags: { mine: mine.tag, theirs: theirs.tag } };
}

async function peerPower(
  ways: Ways,
  deadline_ms: number,
  by?: "BMC" | "outlets",
): Promise<Outcome<"on" | "off">> {
  const { power, why, outlets } = await lookAtPeer(ways, deadline_ms);
  const byBmc = by === "outlets" && power === "Off" ? undefined : power;
  const told = powerOf(byBmc, by === "BMC" ? "unreadable" : outlets.power);
  if (told === "on" || told === "off") return success(told);
  return failed("unreachable", [why, ...outlets.said].join("; "));
}

/** Why each way to the peer's power that tells nothing does not; all are asked at once. */
export async function silentWays(ways: Ways, deadline_ms: number): Promise<readonly string[]> {
  const bmcLook = look(ways, "theirs", deadline_ms, waits.need);
  const [bmc, outlets] = await Promise.all([bmcLook, silentOutlets(ways, deadline_ms)]);
  return [...(bmc.power === undefined ? [bmc.why] : []), ...outlets];
}

/**
 * Taken, and not yet done: what the peer's power reads afterwards decides. It goes out in the first quarter of its time or not
 * at all, the rest is for its answer: begun at the very end of this machine's window, it is later than that by a quarter of the window
 * at most, and a fence's bound (src/render/fence-times.ts) has that room. One whose answer does not come in time may have been taken.
 */
async function commandOff(ways: Ways, at: OffSwitch, deadline_ms: number, send_ms: number): Promise<Outcome> {
  if (at !== "BMC") return await commandOutletOff(ways, at, send_ms, deadline_ms);
  const latest_ms = now_ms() + send_ms;
  const bmc = await ways.bmc("theirs", deadline_ms, waits.command, "command");
  const taken = await bmc.reset("ForceOff", () => now_ms() <= latest_ms);
  return commanded(ways, taken, `the BMC of ${ways.theirs.name}`, deadline_ms, "BMC");
}

/** The feed first: without it there is no BMC to ask. Some BMCs refuse On for a machine that is on. */
async function commandOn(ways: Ways, deadline_ms: number): Promise<Outcome> {
  const left_ms = timer(deadline_ms);
  await switchOutletsOn(ways, left_ms() / 2);
  const taken = await (await ways.bmc("theirs", left_ms(), waits.command, "command")).reset("On");
  if (taken.ok) return done;
  const seen = await look(ways, "theirs", left_ms());
  return seen.power === "On"
    ? done
    : told(ways, taken.failure, `the BMC of ${ways.theirs.name}`, deadline_ms);
}

const tries_max = 3;

/** Never lowered. Where somebody wrote between read and write, it is read anew. */
async function raiseTag(
  ways: Ways,
  bmc: Bmc,
  lineage: Lineage,
  deadline_ms: number,
  may: MayReplace = () => true,
): Promise<Outcome<"written" | "higher">> {
  if (lineage.epoch > epoch_max) return failed("refused", `a tag has no room for epoch ${lineage.epoch}`);
  const end_ms = now_ms() + deadline_ms;
  const client = await ways.bmc(bmc, deadline_ms, waits.need);
  const where = `the BMC of ${ways[bmc].name}`;
  for (let tries = 0; ; tries++) {
    const watched = await watchTag(ways, bmc);
    const seen = await client.readTag();
    if (!seen.ok) return told(ways, seen.failure, where, deadline_ms);
    if (isOtherSites(ways.site, seen.value.tag))
      return failed(
        "refused",
        `${where} holds the tag of another duet site (${seen.value.tag}), which is never written over: \`duet check\` says what to do`,
      );
    const found = parseTag(ways.site, seen.value.tag);
    const raised = raising(found, lineage);
    const how = raised === "raised" && !may(found) ? "stays" : raised;
    await watched(seen.value.tag, how === "raised");
    if (how !== "raised") return success(how === "same" ? "written" : "higher");
    await keepForeign(ways, bmc, seen.value.tag);
    const text = tagText(ways.site, lineage);
    const written = await write(client, text, seen.value);
    if (written.ok && written.value) await watched(text);
    if (written.ok)
      return written.value ? success("written") : failed("failed", `${where}: the tag does not read back`);
    if (written.failure.kind !== "changed" || tries + 1 >= tries_max || now_ms() >= end_ms)
      return told(ways, written.failure, where, deadline_ms);
  }
}

/** For `duet uninstall`. What can't be kept holds up no takeover: it was a text for people, and here everybody waits. */
export async function keepForeign(ways: Ways, side: Bmc, text: string | null): Promise<void> {
  const { site, files } = ways;
  if (files === undefined || text === null || text.trim() === "" || isOurs(site, text)) return;
  await within(note_ms, async () => success(await keepText(ways[side], text, files.assetTags)));
}

/** True: it is there. An answer of 202, or of a BMC that keeps it for later, is none: only what reads back counts. */
async function write(client: RedfishClient, text: string, { etag }: RedfishTag) {
  const taken = await client.writeTag(text, etag);
  if (!taken.ok) return taken;
  const again = await client.readTag();
  return again.ok ? { ok: true as const, value: again.value.tag === text } : again;
}
