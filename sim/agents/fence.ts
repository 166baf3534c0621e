import { fencePeer } from "../../src/act/fence.ts";
import { runSteps } from "../../src/act/steps.ts";
import type { FenceAgent } from "../pacemaker/agent.ts";
import type { World } from "../world.ts";
import { effectsOf } from "./effects.ts";
import { wake } from "./etcd.ts";
import { nodeOf, type Site } from "./site.ts";

/** fence_duet: refuses where its machine may not take over, and calls nothing a success before Off was read. */
export function duetFence(world: World, site: Site): FenceAgent {
  return {
    off: async ({ machine, life }) => {
      const node = nodeOf(world, site, machine);
      const effects = effectsOf(node, life);
      const { commandOff } = effects.bmc;
      const bmc: typeof effects.bmc = {
        ...effects.bmc,
        commandOff: async (way, deadline_ms) => {
          const on = world.machine(node.peer).powered;
          const commanded = await commandOff(way, deadline_ms);
          if (commanded.ok && on) site.fenced_us[node.peer === 0 ? 0 : 1] = world.kernel.now_us;
          return commanded;
        },
      };
      const end = await runSteps(fencePeer({ ...effects, bmc }, node.times), (step) => node.step(step));
      if (end.done) wake(node);
      return end.done;
    },
  };
}
