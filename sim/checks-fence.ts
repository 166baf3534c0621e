import type { Site } from "./agents/site.ts";
import type { Check } from "./checks.ts";

/** A BMC needs less from the command to Off. */
const off_us = 5_000_000;

/** A machine that was fenced and has not met its peer since knows nothing that would allow it to fence back. */
export const fenceLoop = (site: Site): Check => ({
  name: "fence loop",
  sentence: "no machine that was fenced boots and fences back a peer that serves",
  watch: ({ kernel, corosync, etcdEnv, machines }) => {
    /** In which boot it was fenced, until the two meet. In the same boot it is a race, and no loop. */
    const fenced: (number | undefined)[] = [undefined, undefined];
    for (const machine of [0, 1])
      corosync.onView(machine, ({ members }) => {
        if (members.length === 2) fenced.fill(undefined);
      });
    etcdEnv.observers.push({
      exited({ machine, raft }, why) {
        const by = 1 - machine;
        const told_us = site.fenced_us[machine === 0 ? 0 : 1];
        if (why !== "power cut" || kernel.now_us - told_us > off_us) return;
        const before = fenced[by];
        if (before !== undefined && machines[by === 0 ? 0 : 1].boot > before && raft.role === "leader")
          kernel.fail(
            "fence loop",
            `machine ${by} was fenced, has not seen machine ${machine} since, and fences it out of its service`,
          );
        fenced[machine] = machines[machine === 0 ? 0 : 1].boot;
      },
    });
  },
});
