import type { FakePacemaker } from "../../src/agents/hands/testing.ts";
import { shareWitness } from "../../src/agents/hands/witness-word.ts";
import type { twoBmcs } from "./testing-two.ts";

type Name = "node1" | "node2";

/** For tests: one machine of a whole pair tells the other what it knows of the BMCs, and hears what the other told. */
export const sharing =
  (lab: Awaited<ReturnType<typeof twoBmcs>>, cluster: FakePacemaker) =>
  (me: Name, peerName: Name): Promise<void> =>
    shareWitness({
      site: lab.site,
      me,
      peerName,
      files: lab.filesOf(me),
      isPaired: true,
      pacemaker: cluster.of(me),
    });
