import type { FenceAgent } from "../pacemaker/agent.ts";
import type { World } from "../world.ts";
import { effectsOf } from "./effects.ts";
import { wake } from "./etcd.ts";
import { gatherFacts } from "./facts.ts";
import { nodeOf, type Site } from "./site.ts";

const tries_max = 15;
/** A loss that is seen so soon after a hang may be an old one. */
const fresh_us = 15_000_000;
/** Longer than any delay, with the time of a fence. */
const late_ms = 20_000;

/** fence_duet: refuses where its machine may not take over, and calls nothing a success before Off was read. */
export function duetFence(world: World, site: Site): FenceAgent {
  return {
    off: async ({ machine, life }) => {
      const node = nodeOf(world, site, machine);
      const effects = effectsOf(node, life);
      const { ring } = world.corosync.view(machine);
      // Two delays put in order only what begins together. Who hung sees its loss late, and would fence at the very moment at
      // which the other's delay is over: it waits until the other's fence has come, or the two are one ring again.
      if (world.kernel.now_us - node.memory.resumed_us < fresh_us) await effects.pause(late_ms);
      const { decision } = node.decide("fence", await gatherFacts(node, life));
      // A fence is for one loss: what was asked for an earlier one does not fire at the next.
      if (decision.do !== "may-fence" || world.corosync.view(machine).ring !== ring) return false;
      node.step("command the peer's Off");
      const commanded = await effects.bmc.commandOff(node.times.bmc_ms);
      if (!commanded.ok) return false;
      site.fenced_us[node.peer === 0 ? 0 : 1] = world.kernel.now_us;
      for (let tries = 0; tries < tries_max; tries += 1) {
        const power = await effects.bmc.peerPower(node.times.bmc_ms);
        const off = site.plant.successBeforeOff === true || (power.ok && power.value === "off");
        if (off) {
          // Off for this loss only: a peer that was seen meanwhile is another story.
          if (world.corosync.view(machine).ring !== ring) return false;
          await effects.quorum.noteOff();
          wake(node);
          return true;
        }
        await effects.pause(1_000);
      }
      return false;
    },
  };
}
