import type { Decision } from "../decision.ts";
import type { Facts, Lineage } from "../facts.ts";
import { choiceNow, sidesOf } from "../choice.ts";
import { heard, newestClaim, tagsOf } from "../lineage.ts";
import type { Rule } from "../rule.ts";
import { type TableName, type Tables, tables } from "../rules.ts";
import type { Search } from "./search.ts";

/** The rules with one mistake in them, and how far one has to look to see what it does. */
export interface Mutation extends Pick<Search, "left" | "epoch_max"> {
  readonly name: string;
  readonly tables: Tables;
}

const common = { forget: 0, disk: 0, accept: 0, choose: 0 };

function changed(table: TableName, change: (rules: readonly Rule[]) => readonly Rule[]): Tables {
  const rules = change(tables[table].rules);
  if (rules === tables[table].rules) throw new Error(`bug: nothing changed in ${table}`);
  return { ...tables, [table]: { ...tables[table], rules } };
}

/** Without this rule the next one that holds decides. */
function without(table: TableName, id: string): Tables {
  return changed(table, (rules) => {
    const rest = rules.filter((rule) => rule.id !== id);
    if (rest.length === rules.length) throw new Error(`bug: no rule ${id} in ${table}`);
    return rest;
  });
}

const instead = (table: TableName, id: string, change: Partial<Pick<Rule, "when" | "decide">>): Tables =>
  changed(table, (rules) => rules.map((rule) => (rule.id === id ? { ...rule, ...change } : rule)));

const drop = (table: TableName, id: string): Mutation => ({
  name: `without ${id}`,
  tables: without(table, id),
  left: common,
  epoch_max: 2,
});

/** Epochs compared and their owners not. */
function ownerless(facts: Facts): Facts {
  const of = (lineage: Lineage | undefined) =>
    lineage === undefined ? undefined : { ...lineage, owner: facts.me };
  const { self, peer, tags } = facts;
  const bare = (tag: Facts["tags"]["mine"]) => (tag.kind === "lineage" ? { ...tag, owner: facts.me } : tag);
  return {
    ...facts,
    self: { ...self, lineage: of(self.lineage) },
    peer:
      peer.seen === "never" || peer.facts === undefined
        ? peer
        : { ...peer, facts: { ...peer.facts, lineage: of(peer.facts.lineage) } },
    tags: { mine: bare(tags.mine), theirs: bare(tags.theirs) },
  };
}

/** A choice is taken to be between whatever there is now. */
function unbound(facts: Facts): Facts {
  const { choose } = facts.word;
  if (choose === undefined) return facts;
  return { ...facts, word: { ...facts.word, choose: choiceNow(choose.of, sidesOf(facts)) } };
}

const seeing = (see: (facts: Facts) => Facts) => (rules: readonly Rule[]) =>
  rules.map((rule) => ({ ...rule, when: (facts: Facts) => rule.when(see(facts)) }));

/** What was given up is taken back with whatever that costs. */
function acceptingBack(facts: Facts): Facts {
  const { self, word } = facts;
  const isBack = self.surrendered !== undefined && word.choose?.of === "self" && facts.peer.seen !== "now";
  return isBack ? { ...facts, word: { ...word, accept: `${newestClaim(facts)},unknown` } } : facts;
}

const takeOverAs = (epoch: (facts: Facts) => number): Tables =>
  instead("takeover", "R-TAKE-OVER", {
    decide: (facts): Decision => ({ do: "take-over", epoch: epoch(facts) }),
  });

const ownEpoch = ({ self }: Facts): number => self.lineage?.epoch ?? 0;
const tagEpochs = (facts: Facts): readonly number[] =>
  tagsOf(facts).map((tag) => (tag.kind === "lineage" ? tag.epoch : 0));

export const mutations: readonly Mutation[] = [
  {
    // By itself it is no danger: both tags have to be read then, and they tell whether the peer went on.
    name: "without R-GAVE-UP, and what the peer told before that counts",
    tables: {
      ...tables,
      takeover: {
        ...tables.takeover,
        rules: tables.takeover.rules
          .filter(({ id }) => id !== "R-GAVE-UP")
          .map((rule) =>
            rule.id === "R-TAGS-UNREAD"
              ? { ...rule, when: (facts) => heard(facts)?.lineage === undefined && rule.when(facts) }
              : rule,
          ),
      },
    },
    left: common,
    epoch_max: 2,
  },
  drop("takeover", "R-NOT-FULL"),
  drop("takeover", "R-NEWER-PEER"),
  drop("takeover", "R-NEWER-TAG"),
  drop("takeover", "R-TAGS-UNREAD"),
  drop("takeover", "R-NO-PROOF"),
  drop("etcd", "R-ETCD-LAST-COPY"),
  {
    name: "epoch without owner",
    tables: {
      ...changed("start", seeing(ownerless)),
      takeover: { ...tables.takeover, rules: seeing(ownerless)(tables.takeover.rules) },
    },
    left: { ...common, accept: 1 },
    epoch_max: 3,
  },
  {
    name: "a choice is for the whole membership",
    tables: {
      ...changed("start", seeing(unbound)),
      takeover: { ...tables.takeover, rules: seeing(unbound)(tables.takeover.rules) },
    },
    left: { ...common, choose: 1 },
    epoch_max: 2,
  },
  {
    name: "a choice without the peer accepts what the peer may have served",
    tables: {
      ...tables,
      takeover: { ...tables.takeover, rules: seeing(acceptingBack)(tables.takeover.rules) },
    },
    left: { ...common, choose: 1 },
    epoch_max: 2,
  },
  {
    name: "epoch is own plus one",
    tables: takeOverAs((facts) => 1 + ownEpoch(facts)),
    left: common,
    epoch_max: 3,
  },
  {
    name: "an abandoned epoch is used again (own lineage, tags and the peer's lineage only)",
    tables: takeOverAs(
      (facts) => 1 + Math.max(ownEpoch(facts), heard(facts)?.lineage?.epoch ?? 0, ...tagEpochs(facts)),
    ),
    left: common,
    epoch_max: 3,
  },
  {
    name: "the data is moved aside before the peer serves",
    tables: instead("start", "R-GIVE-UP", { decide: () => ({ do: "join-as-learner" }) }),
    left: common,
    epoch_max: 2,
  },
  {
    name: "everybody may fence",
    tables: instead("fence", "R-FENCE", { decide: () => ({ do: "may-fence" }) }),
    left: common,
    epoch_max: 2,
  },
];
