import type { Site } from "../agents/site.ts";
import { isWhole as isWholeByLogs } from "../whole.ts";
import type { World } from "../world.ts";

/** 1+1: two full voters of the same data, with one leader. What is cheap is looked at first: waits ask this very often. */
export function isWhole(world: World, site: Site): boolean {
  const [one, other] = world.etcd.map(({ running }) => running);
  if (one === undefined || other === undefined || one.paused || other.paused) return false;
  if (one.raft.lead === 0 || one.raft.lead !== other.raft.lead) return false;
  return site.nodes.every(({ state }) => state.synced.full) && isWholeByLogs({ world, site });
}
