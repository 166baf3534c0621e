import { isFullVoter } from "../src/decide/lineage.ts";
import type { Admin } from "./admin.ts";
import type { Site } from "./agents/site.ts";
import type { StormKind } from "./storm-kinds.ts";
import { holdingOf } from "./truth.ts";
import type { World } from "./world.ts";

export interface Tally {
  /** Rules by how often they took part in a decision. */
  readonly fired: Map<string, number>;
  operations: number;
  acknowledged: number;
  faults: number;
  /** How often a machine was switched on after it had lost its power. */
  returns: number;
  /** Storms that needed a person, by the rule that said so, with what the person then did. */
  readonly calls: Map<string, number>;
  losses: number;
  /** The fewest of any storm. */
  readonly least: { operations: number; faults: number; returns: number };
}

export const newTally = (): Tally => ({
  fired: new Map(),
  operations: 0,
  acknowledged: 0,
  faults: 0,
  returns: 0,
  calls: new Map(),
  losses: 0,
  least: { operations: Infinity, faults: Infinity, returns: Infinity },
});

/** One storm under way. */
export interface Storm {
  readonly world: World;
  readonly site: Site;
  readonly kind: StormKind;
  readonly admin: Admin;
  readonly tally: Tally;
}

/** Two full voters of the same data, with a leader. */
export function isWhole({ world, site }: Pick<Storm, "world" | "site">): boolean {
  const [a, b] = site.nodes;
  const [one, other] = world.etcd;
  if (a === undefined || b === undefined || one.running === undefined || other.running === undefined)
    return false;
  return (
    one.running.raft.lead !== 0 &&
    one.running.raft.lead === other.running.raft.lead &&
    one.running.applier.membership.voters.length === 2 &&
    a.state.value.lineage?.epoch === b.state.value.lineage?.epoch &&
    site.nodes.every(({ id }) => isFullVoter(holdingOf({ world, site }, id)))
  );
}

export const standing = (site: Site): string =>
  site.nodes.map((node) => `${node.name}: ${node.said}`).join("; ");
