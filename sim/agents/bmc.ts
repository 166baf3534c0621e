import {
  type Bmc,
  type BmcEffects,
  done,
  failed,
  type MayReplace,
  type OffSwitch,
  type Outcome,
  success,
} from "../../src/act/effects.ts";
import type { Lineage } from "../../src/decide/facts.ts";
import { raising } from "../../src/decide/lineage.ts";
import type { Life } from "../kernel/life.ts";
import { lookAtPeer, tagOf, tagText } from "./facts.ts";
import type { Node } from "./node.ts";
import { isOtherSite } from "./tag.ts";
import { watchTag } from "./witness.ts";

const silent = failed("unreachable", "the BMC does not answer");
/** With these no call gets so far that it could be taken. */
const deaf = ["unreachable", "hang-in-tls", "hang-after-connect"] as const;

export function bmcEffects(node: Node, life: Life): BmcEffects {
  const { world, id, peer } = node;
  return {
    peerPower: async (deadline_ms, by) => {
      const bmc_us = deadline_ms * (node.site.hasPdu ? 500 : 1000);
      const { power } = await lookAtPeer(node, life, bmc_us, by);
      return power === "on" || power === "off" ? success(power) : silent;
    },
    offWays: node.site.hasPdu ? [["BMC"], ["outlet"]] : [["BMC"]],
    commandOff: (at, deadline_ms) => commandOff(node, life, at, deadline_ms * 1000),
    commandOn: async (deadline_ms) => {
      if (node.site.hasPdu) await world.askPdu(life, id, { kind: "on", machine: peer }, deadline_ms * 500);
      const on = await world.askBmc(life, id, peer, { kind: "reset", type: "On" }, deadline_ms * 500);
      return on === undefined || on.status >= 400 ? silent : done;
    },
    raiseTag: (bmc, lineage, deadline_ms, may = () => true) =>
      raiseTag({ node, life, bmc, may }, lineage, deadline_ms * 1000),
  };
}

async function commandOff(
  { world, id, peer }: Node,
  life: Life,
  at: OffSwitch,
  deadline_us: number,
): Promise<Outcome> {
  if (at !== "BMC") {
    const outlet = await world.askPdu(life, id, { kind: "off", machine: peer }, deadline_us);
    const isSent = world.pdu.serving && world.management.joined(id, 4);
    if (outlet !== undefined) return done;
    return failed(isSent ? "deadline" : "unreachable", "the PDU does not answer");
  }
  const bmc = world.bmc(peer);
  const isSent = bmc.serving && world.management.joined(id, 2 + peer) && !deaf.some((kind) => bmc.has(kind));
  const off = await world.askBmc(life, id, peer, { kind: "reset", type: "ForceOff" }, deadline_us);
  if (off === undefined) return isSent ? failed("deadline", "the BMC took it, and does not answer") : silent;
  if (off.status < 400) return done;
  return failed(off.status === 409 ? "weighed" : "refused", `the BMC refuses it (status ${off.status})`);
}

interface Raising {
  readonly node: Node;
  readonly life: Life;
  readonly bmc: Bmc;
  readonly may: MayReplace;
}

async function raiseTag(
  { node, life, bmc, may }: Raising,
  lineage: Lineage,
  deadline_us: number,
): Promise<Outcome<"written" | "higher">> {
  const { world, id, peer } = node;
  const target = bmc === "mine" ? id : peer;
  const part_us = Math.floor(deadline_us / 3);
  const watched = watchTag(node, life, target);
  const seen = await world.askBmc(life, id, target, { kind: "read" }, part_us);
  const tag = tagOf(seen);
  if (seen === undefined || tag.kind === "unreadable") return silent;
  if (isOtherSite(seen.tag)) return failed("refused", "the BMC holds the tag of another duet site");
  const raised = raising(tag, lineage);
  const how = raised === "raised" && !may(tag) ? "stays" : raised;
  await watched(seen, how === "raised");
  if (how !== "raised") return success(how === "same" ? "written" : "higher");
  const value = tagText(lineage);
  const { etag } = seen;
  const wish = { kind: "tag", value, ...(etag === undefined ? {} : { if_match: etag }) } as const;
  await world.askBmc(life, id, target, wish, part_us);
  const again = await world.askBmc(life, id, target, { kind: "read" }, part_us);
  if (again?.tag !== value) return failed("failed", "the tag does not read back");
  await watched(again);
  return success("written");
}
