import {
  type Bmc,
  type BmcEffects,
  done,
  failed,
  type OffWay,
  type Outcome,
  success,
} from "../../act/effects.ts";
import type { Facts, Lineage, Tag } from "../../decide/facts.ts";
import { raising } from "../../decide/lineage.ts";
import { now_ms } from "../../machine/clock.ts";
import type { RedfishClient, Tag as RedfishTag } from "../../redfish/client.ts";
import { failureOf, timer } from "./outcome.ts";
import { parseTag, tagText } from "./tag.ts";
import { told, type Ways } from "./ways.ts";

export function bmcEffects(ways: Ways): BmcEffects {
  const { theirs } = ways;
  return {
    peerPower: (deadline_ms) => attempt(() => peerPower(ways, deadline_ms)),
    offWays: theirs.pdu === undefined ? ["BMC"] : ["BMC", "outlet"],
    commandOff: (way, deadline_ms) => attempt(() => commandOff(ways, way, deadline_ms)),
    commandOn: (deadline_ms) => attempt(() => commandOn(ways, deadline_ms)),
    raiseTag: (bmc, lineage, deadline_ms) => attempt(() => raiseTag(ways, bmc, lineage, deadline_ms)),
  };
}

const attempt = <T>(ask: () => Promise<Outcome<T>>): Promise<Outcome<T>> => ask().catch(failureOf);

/** What one look at a BMC gave; undefined is what it did not tell. */
export interface Look {
  readonly power: string | undefined;
  readonly tag: Tag;
  /** Why not. */
  readonly why: string;
}

async function look(ways: Ways, side: Bmc, deadline_ms: number): Promise<Look> {
  const where = `the BMC of ${ways[side].name}`;
  const unreadable = { power: undefined, tag: { kind: "unreadable" } } as const;
  const seen = await attempt(async () => {
    const read = await (await ways.bmc(side, deadline_ms)).look();
    return read.ok ? success(read.value) : told(ways, read.failure, where, deadline_ms);
  });
  if (!seen.ok) return { ...unreadable, why: seen.failure.said };
  const { power, tag } = seen.value;
  return {
    power,
    tag: tag === undefined ? unreadable.tag : parseTag(ways.site, tag.tag),
    why: `${where} tells no power`,
  };
}

/** The state of the outlet that feeds the peer and its BMC; undefined where there is none, or it does not answer. */
async function outletState(ways: Ways, deadline_ms: number): Promise<string | undefined> {
  const state = await attempt(async () => {
    const read = await (await ways.outlet(deadline_ms))?.powerState();
    return success(read?.ok === true ? read.value : undefined);
  });
  return state.ok ? state.value : undefined;
}

/**
 * By the BMC; where that does not answer, by the outlet. Never the other way round: a BMC that still says On has power from
 * somewhere else, and so may its machine. Only `Off` means Off: a machine that is powering off still runs.
 */
const powerOf = (bmc: string | undefined, outlet: string | undefined): Facts["peerPower"] => {
  if (bmc !== undefined) return bmc === "Off" ? "off" : "on";
  if (outlet === undefined) return "unreadable";
  return outlet === "Off" ? "off" : "fed";
};

/** Both are asked at once. With an outlet to ask the BMC gets half a call's time: the answer is wanted in any case. */
export async function lookAtPeer(ways: Ways, deadline_ms: number): Promise<Look & Pick<Facts, "peerPower">> {
  const bmc_ms = ways.theirs.pdu === undefined ? deadline_ms : Math.min(deadline_ms, ways.call_ms) / 2;
  const [seen, outlet] = await Promise.all([look(ways, "theirs", bmc_ms), outletState(ways, deadline_ms)]);
  return { ...seen, peerPower: powerOf(seen.power, outlet) };
}

/** For one picture of the world: both BMCs and the outlet at once, and nothing waits for a second longer than the patience. */
export async function readBmcs(ways: Ways, patience_ms: number): Promise<Pick<Facts, "peerPower" | "tags">> {
  const [mine, theirs] = await Promise.all([look(ways, "mine", patience_ms), lookAtPeer(ways, patience_ms)]);
  return { peerPower: theirs.peerPower, tags: { mine: mine.tag, theirs: theirs.tag } };
}

async function peerPower(ways: Ways, deadline_ms: number): Promise<Outcome<"on" | "off">> {
  const { peerPower: power, why } = await lookAtPeer(ways, deadline_ms);
  if (power === "on" || power === "off") return success(power);
  return failed("unreachable", power === "fed" ? `${why}; its outlet is on` : why);
}

/** Why each way to the peer's power that tells nothing does not; all are asked at once. */
export async function silentWays(ways: Ways, deadline_ms: number): Promise<readonly string[]> {
  const { name } = ways.theirs;
  const outlet = async (): Promise<Outcome> => {
    const read = await (await ways.outlet(deadline_ms))?.powerState();
    return read === undefined || read.ok
      ? done
      : told(ways, read.failure, `the outlet of ${name}`, deadline_ms);
  };
  const [bmc, pdu] = await Promise.all([look(ways, "theirs", deadline_ms), attempt(outlet)]);
  return [...(bmc.power === undefined ? [bmc.why] : []), ...(pdu.ok ? [] : [pdu.failure.said])];
}

/**
 * Taken, and not yet done: what the peer's power reads afterwards decides. It goes out in the first quarter of its time or not
 * at all, the rest is for its answer: begun at the very end of this machine's window, it is later than that by a quarter of the window
 * at most, and a fence's bound (src/render/fence-times.ts) has that room. One whose answer does not come in time may have been taken.
 */
async function commandOff(ways: Ways, way: OffWay, deadline_ms: number): Promise<Outcome> {
  const { name } = ways.theirs;
  const latest_ms = now_ms() + deadline_ms / 4;
  const inTime = () => now_ms() <= latest_ms;
  const where = way === "BMC" ? `the BMC of ${name}` : `the outlet of ${name}`;
  const taken =
    way === "BMC"
      ? await (await ways.bmc("theirs", deadline_ms)).reset("ForceOff", inTime)
      : await (await ways.outlet(deadline_ms))?.power("Off", inTime);
  if (taken === undefined) return failed("refused", `${name} has no outlet in the site file`);
  return taken.ok ? done : told(ways, taken.failure, where, deadline_ms);
}

/** The feed first: without it there is no BMC to ask. Some BMCs refuse On for a machine that is on. */
async function commandOn(ways: Ways, deadline_ms: number): Promise<Outcome> {
  const left_ms = timer(deadline_ms);
  await (await ways.outlet(left_ms() / 2))?.power("On");
  const taken = await (await ways.bmc("theirs", left_ms())).reset("On");
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
): Promise<Outcome<"written" | "higher">> {
  const end_ms = now_ms() + deadline_ms;
  const client = await ways.bmc(bmc, deadline_ms);
  const where = `the BMC of ${ways[bmc].name}`;
  for (let tries = 0; ; tries++) {
    const seen = await client.readTag();
    if (!seen.ok) return told(ways, seen.failure, where, deadline_ms);
    const found = parseTag(ways.site, seen.value.tag);
    const how = raising(found, lineage);
    if (how !== "raised") return success(how === "same" ? "written" : "higher");
    const written = await write(client, tagText(ways.site, lineage), seen.value);
    if (written.ok)
      return written.value ? success("written") : failed("failed", `${where}: the tag does not read back`);
    if (written.failure.kind !== "changed" || tries + 1 >= tries_max || now_ms() >= end_ms)
      return told(ways, written.failure, where, deadline_ms);
  }
}

/** True: it is there. An answer of 202, or of a BMC that keeps it for later, is none: only what reads back counts. */
async function write(client: RedfishClient, text: string, { etag }: RedfishTag) {
  const taken = await client.writeTag(text, etag);
  if (!taken.ok) return taken;
  const again = await client.readTag();
  return again.ok ? { ok: true as const, value: again.value.tag === text } : again;
}
