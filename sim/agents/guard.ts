import { loneStart } from "../../src/act/lone-start.ts";
import { runSteps } from "../../src/act/steps.ts";
import { Life } from "../kernel/life.ts";
import type { World } from "../world.ts";
import { effectsOf } from "./effects.ts";
import type { Node } from "./node.ts";
import { nodeOf, type Site } from "./site.ts";

const patience_us = 15_000_000;
const again_us = 10_000_000;

/** duet-guard: at boot, while Corosync waits for the peer, it looks whether a lone start is safe. */
export function installGuard(world: World, site: Site): void {
  for (const id of [0, 1])
    world.machine(id).tenants.push({
      booted: ({ life }) => {
        const node = nodeOf(world, site, id);
        world.kernel.tasks.start(() => guard(node, new Life(life)));
      },
    });
}

async function guard(node: Node, life: Life): Promise<void> {
  const { world, id, memory } = node;
  const { tasks } = world.kernel;
  await tasks.sleep(life, patience_us);
  while (!world.corosync.view(id).quorate) {
    if (!memory.busy) {
      memory.busy = true;
      const effects = effectsOf(node, life);
      node.decide("start", await effects.facts());
      await runSteps(loneStart(effects, node.times), (step) => node.step(step));
      memory.busy = false;
    }
    await tasks.sleep(life, again_us);
  }
}
