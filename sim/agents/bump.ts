import { type DiskEffects, done, failed, success } from "../../src/act/effects.ts";
import { label } from "../kernel/label.ts";
import type { Life } from "../kernel/life.ts";
import { raisedCopy } from "../raft/raise.ts";
import { walFacts } from "../raft/standing.ts";
import type { Node } from "./node.ts";

const restoreTime = label("etcdutl.time");
const restoreFails = label("etcdutl.fails");
/** It writes the database anew. */
const restore_us_min = 200_000;
const restore_us_spread = 3_000_000;
const rename_us = 500;

export function bumpEffects(node: Node, life: Life): Pick<DiskEffects, "bumpOf" | "stageBump" | "swapBump"> {
  const { world, id } = node;
  const { tasks, choices } = world.kernel;
  const { disk } = world.machine(id);
  const unit = world.unit(id);
  return {
    bumpOf: async (epoch) => {
      await finishSwap(node, life);
      return await tasks.effect(life, 30_000, () =>
        success(unit.folder.value?.raisedFor === epoch ? "done" : "possible"),
      );
    },
    stageBump: async (epoch) => {
      const before = unit.folder.value;
      if (before === undefined) return failed("failed", "there is no data");
      if (before.backend.consistent_index < walFacts(before).last_index)
        return failed("changed", "the database is behind the log");
      await tasks.sleep(life, restore_us_min + choices.jitter(restoreTime, restore_us_spread));
      if (choices.fault(restoreFails, 2, node.site.raise_fails_ppm) > 0) {
        world.history.revisionsGoBack();
        return failed("failed", "no space left on device");
      }
      await tasks.effect(life, 1_000, () => unit.stage(raisedCopy(before, world.freshMemberId(), id, epoch)));
      await tasks.effect(life, disk.sync_us(), () => unit.staged.sync());
      return done;
    },
    swapBump: async () => {
      if (unit.staged.value === undefined) return failed("refused", "there is nothing to put in its place");
      await tasks.effect(life, rename_us, () => unit.moveAside());
      await tasks.effect(life, disk.sync_us(), () => unit.folder.sync());
      await finishSwap(node, life);
      return done;
    },
  };
}

/** With data in its place, what is staged was made of that, and is made anew when it is wanted. */
export async function finishSwap({ world, id }: Node, life: Life): Promise<void> {
  const { tasks } = world.kernel;
  const { disk } = world.machine(id);
  const unit = world.unit(id);
  const staged = unit.staged.value;
  if (staged === undefined) return;
  if (unit.folder.value === undefined) {
    await tasks.effect(life, rename_us, () => unit.folder.write(staged));
    await tasks.effect(life, disk.sync_us(), () => unit.folder.sync());
  }
  await tasks.effect(life, 1_000, () => unit.staged.write(undefined));
  await tasks.effect(life, disk.sync_us(), () => unit.staged.sync());
}
