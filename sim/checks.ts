import { watchRaft } from "./raft/invariants.ts";
import type { World } from "./world.ts";

/**
 * A rule that must hold after each event. `watch` hangs it into the world: at `kernel.afterEvent` for what can be broken at any
 * moment (keep that cheap), at an observer for what only certain events can break. It tells `kernel.fail` its name and what it saw.
 */
export interface Check {
  readonly name: string;
  readonly sentence: string;
  watch(world: World): void;
}

/**
 * What this half knows of safety. That no acknowledged write is lost, that never two datasets are served and that revisions never
 * go back is checked by `History` with each answer; the rest is raft's.
 */
export const safety: readonly Check[] = [
  {
    name: "raft",
    sentence:
      "one leader per term; what was committed stays, at its index, in every later leader and every store",
    watch: (world) => {
      const raft = watchRaft(world.kernel);
      world.etcdEnv.observers.push(raft);
      world.history.onLoss.push(() => raft.forget());
    },
  },
  {
    name: "two serve",
    sentence: "never do two members that do not share a log acknowledge writes",
    watch: twoServe,
  },
];

/** The moment before the harm: two members lead, and each could commit alone. What they write need not differ yet. */
function twoServe(world: World): void {
  world.etcdEnv.observers.push({
    role(member, role) {
      if (role !== "leader" || !commitsAlone(member.raft.conf.voters, member.id)) return;
      const other = world.unit(1 - member.machine).running;
      if (other === undefined || other.paused || other.raft.role !== "leader") return;
      if (commitsAlone(other.raft.conf.voters, other.id))
        world.kernel.fail("two serve", `members ${member.id} and ${other.id} each lead a cluster of one`);
    },
  });
}

const commitsAlone = (voters: readonly number[], id: number): boolean =>
  voters.length === 1 && voters[0] === id;
