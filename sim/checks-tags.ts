import type { Lineage } from "../src/decide/facts.ts";
import { isNewer } from "../src/decide/lineage.ts";
import { membershipOf, tagOf } from "./agents/facts.ts";
import type { Node } from "./agents/node.ts";
import type { Site } from "./agents/site.ts";
import type { Check } from "./checks.ts";
import { tagsThere } from "./truth.ts";
import type { World } from "./world.ts";

const nameOf = ({ epoch, owner }: Lineage): string => `${epoch} ${owner}`;

/**
 * A tag that is written before the peer's Off is proven may be all that ever comes of its takeover: the fence can fail, or the peer
 * win the race. So may one that is written with no intent on the disk, as by a fence that claims what it may not serve. A takeover that was cut short
 * after Off leaves such a tag too; for that there is no help, and it is no fault. Nor is it where somebody said that the peer is gone: two of whom that
 * was said in the same second find each other's claims, and both stop.
 */
export const claimForNothing = (site: Site): Check => ({
  name: "claim for nothing",
  sentence:
    "no machine is kept from its data by a takeover that was begun while it was on, on nobody's word, and never served, or that nobody meant",
  watch: (world) => {
    const hollow = hollowClaims(world, site);
    const isHollow = (node: Node): boolean => {
      const own = node.state.value.lineage;
      const newer = tagsThere({ world, site }).filter((tag) => tag.kind === "lineage" && isNewer(tag, own));
      return newer.length > 0 && newer.every((tag) => tag.kind === "lineage" && hollow.has(nameOf(tag)));
    };
    world.kernel.afterEvent.push(() => {
      if (hollow.size === 0) return;
      const kept = site.nodes.find((node) => node.verdict?.rule === "R-NEWER-TAG" && isHollow(node));
      if (kept !== undefined)
        world.kernel.fail(
          "claim for nothing",
          `${kept.name} is kept from its data by a claim that was begun while it was on, or that nobody meant`,
        );
    });
  },
});

/**
 * By name, until they serve: claims of takeovers that were begun with the peer on ever since it was lost, and its data not given up; and those
 * that are sent by a machine whose disk knows of no such takeover.
 */
function hollowClaims({ corosync, machines, onTagged }: World, site: Site): ReadonlySet<string> {
  const hollow = new Set<string>();
  /** The peer, as it was when this machine lost it or booted without it. */
  const lost = machines.map(() => ({ boot: 0, powered: false }));
  for (const { id, tenants } of machines) {
    const peer = machines[id === 0 ? 1 : 0];
    const note = () => {
      lost[id] = { boot: peer.boot, powered: peer.powered };
    };
    tenants.push({ booted: note });
    let together = false;
    corosync.onView(id, ({ members }) => {
      if (together && members.length === 1) note();
      together = members.length === 2;
    });
  }
  const wasOff = (machine: number): boolean => {
    const peer = machines[machine === 0 ? 1 : 0];
    const before = lost[machine];
    return before?.powered !== true || !peer.powered || peer.boot !== before.boot;
  };
  onTagged.push((by, text) => {
    const node = site.nodes[by];
    const tag = tagOf({ status: 200, tag: text });
    // One without its own file has lost its disk since.
    if (tag.kind !== "lineage" || node?.state.value.lineage === undefined || tag.owner !== node.name) return;
    const { lineage, takeover, settled } = node.state.value;
    if (Math.max(lineage.epoch, takeover?.epoch ?? 0, settled.mine) < tag.epoch) hollow.add(nameOf(tag));
  });
  /** Machines whose last takeover was begun so. */
  const unproven = new Set<number>();
  site.stepped.push((machine, step) => {
    const node = site.nodes[machine];
    if (node === undefined) return;
    const { lineage, takeover } = node.state.value;
    if (lineage !== undefined) hollow.delete(nameOf(lineage));
    const gaveUp = site.nodes[node.peer]?.state.value.surrendered !== undefined;
    const isSaid = node.memory.spoken?.word.peerDown && node.memory.spoken.ring === membershipOf(node).ring;
    if (step === "write the intent" && (wasOff(machine) || gaveUp || isSaid)) unproven.delete(machine);
    else if (step === "write the intent") unproven.add(machine);
    if (takeover?.step === "intent" && step.startsWith("write the tag") && unproven.has(machine))
      hollow.add(nameOf({ epoch: takeover.epoch, owner: node.name }));
  });
  return hollow;
}
