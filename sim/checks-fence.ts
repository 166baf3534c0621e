import type { Site } from "./agents/site.ts";
import type { Check } from "./checks.ts";

/** A machine that was fenced and has not met its peer since knows nothing that would allow it to fence back. */
export const fenceLoop: Check = {
  name: "fence loop",
  sentence: "no machine that was fenced boots and fences back a peer that serves",
  watch: (world) => {
    const { kernel, corosync, machines } = world;
    /** In which boot it was fenced, until the two meet. In the same boot it is a race, and no loop. */
    const fenced: (number | undefined)[] = [undefined, undefined];
    for (const machine of [0, 1])
      corosync.onView(machine, ({ members }) => {
        if (members.length === 2) fenced.fill(undefined);
      });
    world.onFenced.push((target, { by, boot }) => {
      const before = fenced[by];
      const serves = world.unit(target).running?.raft.role === "leader";
      if (before !== undefined && boot > before && serves)
        kernel.fail(
          "fence loop",
          `machine ${by} was fenced, has not seen machine ${target} since, and fences it out of its service`,
        );
      fenced[target] = machines[target === 0 ? 0 : 1].boot;
    });
  },
};

/**
 * Who has no vote in the cluster of one that the other serves can't take it over: with that one off nobody serves. People may mean it, and
 * one that hangs serves nobody. Who serves on a plain word, said of a machine that lives, is known to that one by the tags alone: where it can't read
 * them either, it goes by what it knew before.
 */
export const fencedOutOfService = (site: Site): Check => ({
  name: "fenced out of service",
  sentence: "no machine commands off the only voter of a cluster that it has no vote in",
  watch: (world) => {
    world.onCommanded.push((target, by) => {
      const machine = world.machine(target);
      const member = world.unit(target).running;
      if (!machine.powered || machine.hung || member === undefined || member.paused) return;
      const { voters } = member.applier.membership;
      if (member.raft.role !== "leader" || voters.length !== 1 || voters[0] !== member.id) return;
      const word = site.nodes[by]?.memory.spoken?.word;
      if (word?.peerDown === true || word?.accept !== undefined || word?.choose !== undefined) return;
      const serving = site.nodes[target]?.memory;
      if (serving?.spoken?.word.peerDown === true && serving.remembered.provenIn !== serving.spoken.ring)
        return;
      world.kernel.fail(
        "fenced out of service",
        `machine ${by} has no vote, and commands machine ${target} off, which serves alone`,
      );
    });
  },
});
