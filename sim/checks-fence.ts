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
