import { guardLook } from "../../src/act/guard.ts";
import { publishFacts } from "../../src/act/publish.ts";
import { Life } from "../kernel/life.ts";
import type { World } from "../world.ts";
import { effectsOf } from "./effects.ts";
import type { Node } from "./node.ts";
import { nodeOf, type Site } from "./site.ts";

const patience_us = 15_000_000;
/** A machine that is to run something is told so before. */
const stopped_us = 6_000_000;
const again_us = 10_000_000;

/** duet-guard: at boot, while Corosync waits for the peer, it looks whether a lone start is safe; and it says why nothing runs. */
export function installGuard(world: World, site: Site): void {
  for (const id of [0, 1])
    world.machine(id).tenants.push({
      booted: ({ life }) => {
        const node = nodeOf(world, site, id);
        world.kernel.tasks.start(() => guard(node, new Life(life)));
      },
    });
  for (const id of [0, 1])
    world.corosync.onView(id, ({ members }) => {
      const node = nodeOf(world, site, id);
      if (members.includes(node.peer)) world.kernel.tasks.start(() => tellWhileStopped(node));
    });
}

/** On standby Pacemaker runs nothing here, and yet the peer must learn what this machine holds. */
async function tellWhileStopped(node: Node): Promise<void> {
  const { world, id } = node;
  const life = new Life(world.machine(id).life);
  await world.kernel.tasks.sleep(life, stopped_us);
  const here = world.corosync.view(id).members.includes(node.peer);
  if (here && !node.memory.started && !node.memory.busy)
    await publishFacts(effectsOf(node, life), node.times);
}

async function guard(node: Node, life: Life): Promise<void> {
  const { world, id, peer, memory } = node;
  const { tasks } = world.kernel;
  await tasks.sleep(life, patience_us);
  for (;;) {
    const { members } = world.corosync.view(id);
    const stuck = world.pacemaker.controller(id)?.belief(peer).unclean === true;
    if (!memory.busy && !memory.started && (stuck || !members.includes(peer))) {
      const look = await guardLook(effectsOf(node, life), node.times, (step) => node.step(step));
      const { end, verdict } = look ?? {};
      // What it says already needs no second sentence.
      if (end !== undefined && (end.done || end.why !== verdict?.sentence)) node.noteEnd(end);
    }
    await tasks.sleep(life, again_us);
  }
}
