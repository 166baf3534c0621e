import type { Lineage } from "../src/decide/facts.ts";
import { rank } from "../src/decide/lineage.ts";
import type { Site } from "./agents/site.ts";
import type { DataFolder } from "./raft/data.ts";
import { bothCopiesGone } from "./checks-copies.ts";
import { fencedOutOfService, fenceLoop } from "./checks-fence.ts";
import { claimForNothing } from "./checks-tags.ts";
import type { Check } from "./checks.ts";

/** Two fences so close are one race. */
const race_us = 8_000_000;

/** What can be said of duet's machines, and not of raft alone. */
export const stormChecks = (site: Site): readonly Check[] => [
  bothFenced(site),
  olderLineage(site),
  lastCopy(site),
  bothCopiesGone,
  fenceLoop,
  fencedOutOfService(site),
  claimForNothing(site),
];

/** From a look at the power to the command that it leads to, with a BMC at its slowest. */
const look_us = 5_000_000;

/**
 * Turns are counted from a loss that both saw. Two that booted apart have none, and two people there can have each switch the other off.
 *
 * Who shows Off is no rival, and is commanded out of turn. A BMC that shows Off of a machine that runs, and sees it again before the command
 * comes, is a BMC whose Off was not true: no reading tells it from the machine that lost its power. Once it has refused a command the
 * machine that asks knows better, and goes by its turn: that is judged.
 */
const bothFenced = (site: Site): Check => ({
  name: "both fenced",
  sentence:
    "never do two machines switch each other off, unless people told both to that have not met since they booted, or a BMC showed Off of the one that ran",
  watch: ({ kernel, machines, bmcs, onCommanded, onFenced }) => {
    const told = [false, false];
    const misled = [false, false];
    const isTold = (by: number): boolean => {
      const memory = site.nodes[by]?.memory;
      return memory?.spoken?.word.peerDown === true && !memory.remembered.seen;
    };
    onCommanded.push((target, by) => {
      told[target] = isTold(by);
      misled[target] = kernel.now_us - (bmcs[target]?.falseOff_us ?? Number.NEGATIVE_INFINITY) < look_us;
    });
    const look = () => {
      if (machines[0].powered || machines[1].powered || told.every(Boolean) || misled.some(Boolean)) return;
      if (site.fenced_us.every((at_us) => kernel.now_us - at_us < race_us))
        kernel.fail("both fenced", "each was told to go off by the other, and both are off");
    };
    // It is told right before the power goes.
    onFenced.push(() => kernel.after(0, look));
  },
});

/**
 * The newest lineage under which somebody led; after an accepted loss it begins anew. A takeover follows the lineage of the data
 * that it takes over, also where the two numbers alone are a tie: losses were accepted on both machines, and one never served.
 */
const olderLineage = (site: Site): Check => ({
  name: "older lineage",
  sentence: "nobody leads with data of an older epoch than one that was led with before",
  watch: ({ kernel, etcdEnv, history }) => {
    let newest: Lineage | undefined;
    const held: (Lineage | undefined)[] = [];
    const follows = new Map<string, Lineage>();
    const nameOf = ({ epoch, owner }: Lineage): string => `${epoch} ${owner}`;
    site.stepped.push((machine) => {
      const node = site.nodes[machine];
      const lineage = node?.state.value.lineage;
      const before = held[machine];
      if (lineage === before) return;
      held[machine] = lineage;
      if (lineage === undefined || before === undefined || lineage.owner !== node?.name) return;
      // Its owner is the first who holds it; who joins it later holds something else before.
      if (!follows.has(nameOf(lineage))) follows.set(nameOf(lineage), before);
    });
    history.onLoss.push(() => {
      newest = undefined;
    });
    etcdEnv.observers.push({
      role({ machine }, role) {
        const lineage = site.nodes[machine]?.state.value.lineage;
        if (role !== "leader" || lineage === undefined) return;
        const order = rank(lineage, newest);
        const before = follows.get(nameOf(lineage));
        const was = before === undefined || newest === undefined ? "tie" : rank(before, newest);
        const succeeds = was === "same" || was === "higher";
        if (order === "higher" || (order === "tie" && succeeds)) newest = lineage;
        else if (order !== "same")
          kernel.fail(
            "older lineage",
            `machine ${machine} leads with epoch ${lineage.epoch} of ${lineage.owner}; epoch ${newest?.epoch} was led before`,
          );
      },
    });
  },
});

/** In its log, or in its database up to where the log begins. */
const holds = (folder: DataFolder | undefined, write: number): boolean =>
  folder !== undefined &&
  (folder.backend.store.values.lastIndexOf(write, folder.backend.length - 1) >= 0 ||
    folder.wal.replay(folder.snapshots).entries.some(({ kind, value }) => kind === "put" && value === write));

/** Data is moved aside only where the other machine's etcd holds everything that was answered. */
const lastCopy = (site: Site): Check => ({
  name: "last copy",
  sentence: "no machine gives up the last copy of what was acknowledged",
  watch: (world) => {
    site.stepped.push((machine, step) => {
      if (step !== "move the data aside" || world.unit(machine).data === undefined) return;
      const { order } = world.history;
      const last = order.at(-1);
      if (last !== undefined && !holds(world.unit(1 - machine).data, last))
        world.kernel.fail(
          "last copy",
          `machine ${machine} moves its data aside, and the other does not hold the last of ${order.length} writes`,
        );
    });
  },
});
