import type { Doing, Seen } from "../../src/scenario/world.ts";
import { done, idOf, type SimStage } from "./stage.ts";

const answer_ms = 8_000;

/** What must be so after a loss that was accepted: nothing was deleted, and no revision is given out twice. */
export function keptWords(stage: SimStage): Doing {
  return {
    "expect-kept": async ({ machine }) => {
      const id = idOf(machine);
      const copies = stage.world.unit(id).aside.length - (stage.asideBefore[id] ?? 0);
      return stage.verdict({ ok: copies > 0, seen: `${copies} copies were moved aside on ${machine}` });
    },
    "expect-revisions": () => neverWentBack(stage),
  };
}

/** Each answer was checked when it came (sim/history.ts), unless the revisions could not be raised. What is left is where they are now. */
async function neverWentBack(stage: SimStage): Promise<Seen> {
  const { load, world } = stage;
  load.stop();
  if (load.shown === 0) return { ok: false, seen: "no client was answered" };
  if (world.history.wentBack)
    return { ok: false, seen: "they could not be raised, or nobody could know how far" };
  const { shown } = load;
  let now: number | undefined;
  for (const { open: running } of world.etcd)
    running?.submit(() =>
      running.requests.read((answer) => {
        if (answer.ok) now ??= answer.revision + running.applier.store.raised;
      }),
    );
  const read = await stage.until(answer_ms, "nobody answers a linearizable read", () => now !== undefined);
  if (!read.ok || now === undefined) return read;
  if (now < shown) return { ok: false, seen: `etcd is at revision ${now}, and clients saw ${shown}` };
  return stage.verdict(done(`clients saw ${shown}, and etcd is at revision ${now}`));
}
