import { type Bmc, type BmcEffects, done, failed, type Outcome, success } from "../../src/act/effects.ts";
import { rank } from "../../src/decide/lineage.ts";
import type { Lineage } from "../../src/decide/facts.ts";
import type { Life } from "../kernel/life.ts";
import { powerOf, tagOf, tagText } from "./facts.ts";
import type { Node } from "./node.ts";

const silent = failed("unreachable", "the BMC does not answer");

export function bmcEffects(node: Node, life: Life): BmcEffects {
  const { world, id, peer } = node;
  return {
    peerPower: async (deadline_ms) => {
      const seen = await world.askBmc(life, id, peer, { kind: "read" }, deadline_ms * 500);
      const power = await powerOf(node, life, seen);
      return power === "unreadable" ? silent : success(power);
    },
    commandOff: (deadline_ms) => commandOff(node, life, deadline_ms),
    commandOn: async (deadline_ms) => {
      await world.askPdu(life, id, { kind: "on", machine: peer }, deadline_ms * 500);
      const on = await world.askBmc(life, id, peer, { kind: "reset", type: "On" }, deadline_ms * 500);
      return on === undefined || on.status >= 400 ? silent : done;
    },
    raiseTag: (bmc, lineage, deadline_ms) => raiseTag(node, life, bmc, lineage, deadline_ms * 1000),
  };
}

/** The BMC first; the outlet where that does not answer. */
async function commandOff({ world, id, peer }: Node, life: Life, deadline_ms: number): Promise<Outcome> {
  const off = await world.askBmc(life, id, peer, { kind: "reset", type: "ForceOff" }, deadline_ms * 500);
  if (off !== undefined && off.status < 400) return done;
  // Much time has passed: a peer that came back meanwhile is not switched off.
  if (world.corosync.view(id).members.includes(peer)) return failed("changed", "the peer is back");
  const outlet = await world.askPdu(life, id, { kind: "off", machine: peer }, deadline_ms * 500);
  return outlet === undefined ? silent : done;
}

async function raiseTag(
  { world, id, peer }: Node,
  life: Life,
  bmc: Bmc,
  lineage: Lineage,
  deadline_us: number,
): Promise<Outcome<"written" | "higher">> {
  const target = bmc === "mine" ? id : peer;
  const part_us = Math.floor(deadline_us / 3);
  const seen = await world.askBmc(life, id, target, { kind: "read" }, part_us);
  const tag = tagOf(seen);
  if (seen === undefined || tag.kind === "unreadable") return silent;
  if (tag.kind === "lineage") {
    const order = rank(lineage, tag);
    if (order === "same") return success("written");
    if (order !== "higher") return success("higher");
  }
  const value = tagText(lineage);
  const { etag } = seen;
  const wish = { kind: "tag", value, ...(etag === undefined ? {} : { if_match: etag }) } as const;
  await world.askBmc(life, id, target, wish, part_us);
  const again = await world.askBmc(life, id, target, { kind: "read" }, part_us);
  return again?.tag === value ? success("written") : failed("failed", "the tag does not read back");
}
