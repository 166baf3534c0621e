import type { FenceAgent } from "./pacemaker/agent.ts";
import type { World } from "./world.ts";

const call_us = 10_000_000;
const pause_us = 1_000_000;
const tries_max = 40;

/** As the stock Redfish agent does it with `off`: command, then ask until Off is read. It knows nothing of who may take over. */
export function stockFence(world: World): FenceAgent {
  return {
    off: async ({ machine, target, life }) => {
      const command = await world.askBmc(life, machine, target, { kind: "reset", type: "ForceOff" }, call_us);
      if (command === undefined || command.status >= 400) return false;
      for (let tries = 0; tries < tries_max; tries += 1) {
        const seen = await world.askBmc(life, machine, target, { kind: "read" }, call_us);
        if (seen?.power === "Off") return true;
        await world.kernel.tasks.sleep(life, pause_us);
      }
      return false;
    },
  };
}
