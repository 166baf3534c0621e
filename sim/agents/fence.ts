import { fencePeer } from "../../src/act/fence.ts";
import { runSteps } from "../../src/act/steps.ts";
import type { FenceAgent } from "../pacemaker/agent.ts";
import type { World } from "../world.ts";
import { effectsOf } from "./effects.ts";
import { wake } from "./etcd.ts";
import { nodeOf, type Site } from "./site.ts";

const late_us = 2_000_000;

/** fence_duet: refuses where its machine may not take over, and calls nothing a success before Off was read. */
export function duetFence(world: World, site: Site): FenceAgent {
  world.onFenced.push((target, { at_us }) => {
    // A BMC that took the command and did it much later is slower than any turn: that can leave both off, and the design says so.
    if (world.kernel.now_us - at_us < world.bmcTimes.off_us + late_us)
      site.fenced_us[target === 0 ? 0 : 1] = world.kernel.now_us;
  });
  return {
    off: async ({ machine, life }) => {
      const node = nodeOf(world, site, machine);
      const steps = fencePeer(effectsOf(node, life), node.times, () => wake(node));
      return (await runSteps(steps, (step) => node.step(step))).done;
    },
  };
}
