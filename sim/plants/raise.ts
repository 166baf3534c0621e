import { type Effects, failed, success } from "../../src/act/effects.ts";
import { raisedCopy } from "../raft/raise.ts";
import { loss, type Place, type Plant } from "./plant.ts";

const nothingRaised = (effects: Effects): Effects => ({
  ...effects,
  disk: { ...effects.disk, bumpOf: async () => success("impossible") },
});

/** What a killed etcd has written to its log, and not yet to its database, is gone. */
const ofTheDatabase = (effects: Effects, { node: { world, id } }: Place): Effects => ({
  ...effects,
  disk: {
    ...effects.disk,
    bumpOf: async (epoch) => {
      const unit = world.unit(id);
      const before = unit.folder.value;
      if (before === undefined) return failed("failed", "there is no data");
      if (before.raisedFor !== epoch) {
        unit.moveAside();
        unit.folder.write(raisedCopy(before, world.freshMemberId(), id, epoch));
        unit.folder.sync();
      }
      return success("done");
    },
  },
});

const inTurn = "the machines are on one after the other, for minutes, and hear nothing of each other";
const kind = "no witness, with a hasty admin";

/** What is made of the data after a loss that was accepted. */
export const raisePlants: readonly Plant[] = [
  {
    name: "revisions-go-back",
    sentence: "after an accepted loss the data is served with the revisions that it has",
    pitfalls: [],
    stoppedBy: "the steps from `see whether the revisions are raised` on",
    checks: ["revisions never go back"],
    favours: [inTurn],
    kind,
    effects: nothingRaised,
  },
  {
    name: "raised-without-the-log",
    sentence: "revisions are raised of the database as it is, and what only the log holds is left behind",
    pitfalls: [],
    stoppedBy: "etcd's start where no client looks, before the step `stop etcd in order`",
    checks: loss,
    favours: [inTurn],
    kind,
    effects: ofTheDatabase,
  },
];
