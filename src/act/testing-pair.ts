import { empty, type Holding } from "../decide/facts.ts";
import { FakeWorld, logOf, pick } from "./testing.ts";

export const lineage = { epoch: 5, owner: "b" };
export const voter: Holding = { ...empty, data: true, standing: "voter", lineage, full: true };

/** Two machines at the same epoch; `a` holds the one, its peer the other. */
export function world(self: Holding, peer: Holding): FakeWorld {
  const made = new FakeWorld();
  made.state = pick(self);
  made.log = { ...logOf(self), committed: false };
  made.peer = { ...made.peer, holding: peer };
  made.tags = { mine: lineage, theirs: lineage };
  return made;
}
