import type { Effects } from "../../src/act/effects.ts";
import type { Times } from "../../src/act/times.ts";
import type { Facts } from "../../src/decide/facts.ts";
import type { Table } from "../../src/decide/rule.ts";
import { type TableName, tableNames, type Tables, tables } from "../../src/decide/rules.ts";
import type { Node } from "../agents/node.ts";
import type { Site } from "../agents/site.ts";
import type { Life } from "../kernel/life.ts";
import type { ResourceAgent } from "../pacemaker/agent.ts";
import type { World } from "../world.ts";

/** Where an effect is done, and for how long. */
export interface Place {
  readonly node: Node;
  readonly life: Life;
}

/** One mistake that the simulator must find. Each is as small as the slip of the pen that it stands for. */
export interface Plant {
  readonly name: string;
  /** The mistake, as its author would put it. */
  readonly sentence: string;
  /** Lines of the list of what went wrong for others. */
  readonly pitfalls: readonly number[];
  /** The rules and steps that stop it where nobody planted it. */
  readonly stoppedBy: string;
  /** One of these checks has to catch it: any other would be luck. */
  readonly checks: readonly string[];
  /** Faults of the ordinary list that its storms prefer: half of what comes is of these. */
  readonly favours?: readonly string[];
  /** The kind of its storms, which is the plain one unless said otherwise. */
  readonly kind?: string;

  readonly tables?: Tables;
  readonly times?: Partial<Times>;
  readonly effects?: (effects: Effects, place: Place) => Effects;
  readonly agent?: (agent: ResourceAgent, world: World, site: Site) => ResourceAgent;
  readonly world?: (world: World) => void;
}

export const noPlant: Plant = {
  name: "none",
  sentence: "the rules as they are",
  pitfalls: [],
  stoppedBy: "",
  checks: [],
};

/** The same storms without the mistake: what breaks in them is no find of the plant's. */
export const withoutMistake = ({ favours, kind }: Plant): Plant => ({
  ...noPlant,
  name: "no mistake",
  ...(favours === undefined ? {} : { favours }),
  ...(kind === undefined ? {} : { kind }),
});

/**
 * Clients see it, or raft does, or the first machine that leads with the wrong data; or sooner a machine that is on, and finds the tag of
 * a takeover that should have waited until it was off.
 */
export const loss: readonly string[] = [
  "claim for nothing",
  "one dataset",
  "revisions never go back",
  "linearizable",
  "election safety",
  "leader completeness",
  "state machine safety",
  "log matching",
  "two serve",
  "older lineage",
];
/** Nothing is lost, and the pair does not come back by itself. */
export const outage: readonly string[] = ["whole again", "serves alone", "a reason that is not true"];

type See = (facts: Facts) => Facts;

/** The world is seen wrongly wherever it is looked at. `see` may be applied twice. */
export const seeing = (see: See): Pick<Plant, "tables" | "effects"> => ({
  tables: seenBy(tableNames, see),
  effects: (effects) => {
    const facts = async () => see(await effects.facts());
    return { ...effects, facts, own: facts };
  },
});

/** Which rule holds is seen wrongly; what it then decides is made of what is so. */
export const judgedBy = (name: TableName, see: See): Tables => {
  const rules = tables[name].rules.map((rule) => ({
    ...rule,
    when: (facts: Facts) => rule.when(see(facts)),
  }));
  return { ...tables, [name]: { ...tables[name], rules } };
};

/** Only these tables see it wrongly. */
export function seenBy(names: readonly TableName[], see: See): Tables {
  const seen = (name: TableName): Table => {
    const table = tables[name];
    if (!names.includes(name)) return table;
    const rules = table.rules.map((rule) => ({
      ...rule,
      when: (facts: Facts) => rule.when(see(facts)),
      decide: (facts: Facts) => rule.decide(see(facts)),
    }));
    return { ...table, rules };
  };
  return {
    start: seen("start"),
    takeover: seen("takeover"),
    fence: seen("fence"),
    leave: seen("leave"),
    etcd: seen("etcd"),
    tags: seen("tags"),
  };
}
