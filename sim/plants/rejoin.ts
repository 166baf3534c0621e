import { done, type Effects, failed, success } from "../../src/act/effects.ts";
import { saidByPeer } from "../agents/facts.ts";
import { loss, outage, type Place, type Plant } from "./plant.ts";
import { instead } from "./tables.ts";

/** What should be asked of the peer's etcd is asked of the own one, while that runs. */
function throughItself(effects: Effects, { node }: Place, isCase = () => true): Effects {
  const { members } = effects;
  const runs = () => node.world.unit(node.id).running !== undefined && isCase();
  return {
    ...effects,
    members: {
      ...members,
      list: (at, deadline_ms) => members.list(runs() ? "self" : at, deadline_ms),
      remove: (member, through, deadline_ms) =>
        members.remove(member, runs() ? "self" : through, deadline_ms),
      moveLeader: (deadline_ms) => (runs() ? Promise.resolve(done) : members.moveLeader(deadline_ms)),
    },
  };
}

/** Room is made first, and then it is looked for somebody to join. */
const eraseFirst = (effects: Effects, { node: { world, id } }: Place): Effects => ({
  ...effects,
  members: {
    ...effects.members,
    list: async (at, deadline_ms) => {
      const seen = await effects.members.list(at, deadline_ms);
      return seen.ok || at === "self" ? seen : success([]);
    },
  },
  disk: {
    ...effects.disk,
    moveAside: async (deadline_ms) => {
      const moved = await effects.disk.moveAside(deadline_ms);
      world.unit(id).aside.length = 0;
      return moved;
    },
  },
});

/** By site: which machines may be joined. */
const flags = new WeakMap<object, Set<number>>();

function flagged(effects: Effects, { node: { site, peer, id } }: Place): Effects {
  const may = flags.get(site) ?? new Set<number>();
  flags.set(site, may);
  return {
    ...effects,
    facts: async () => {
      const facts = await effects.facts();
      if (facts.peer.seen !== "now") return facts;
      return { ...facts, peer: { ...facts.peer, serving: facts.peer.serving && may.has(peer) } };
    },
    unit: {
      ...effects.unit,
      start: (how, deadline_ms) => {
        if (how === "first") may.add(id);
        return effects.unit.start(how, deadline_ms);
      },
      dropForceFlag: () => {
        may.add(id);
        return effects.unit.dropForceFlag();
      },
    },
    members: {
      ...effects.members,
      addLearner: async (deadline_ms) => {
        may.delete(peer);
        return await effects.members.addLearner(deadline_ms);
      },
    },
  };
}

/** An old learner entry is nobody's business. */
function blindToLearners(effects: Effects, { node: { world, id, peer }, life }: Place): Effects {
  const { members } = effects;
  return {
    ...effects,
    members: {
      ...members,
      list: async (at, deadline_ms) => {
        const seen = await members.list(at, deadline_ms);
        return seen.ok ? success(seen.value.filter(({ role }) => role === "voter")) : seen;
      },
      addLearner: async (deadline_ms) => {
        const seen = await members.list("peer", deadline_ms);
        if (!seen.ok) return seen;
        if (!seen.value.some(({ machine, role }) => machine === "self" && role === "learner"))
          return await members.addLearner(deadline_ms);
        const fresh = world.freshMemberId();
        const added = await world.askEtcd(
          life,
          id,
          peer,
          (requests, reply) => requests.addLearner(fresh, id, reply),
          (_, { ok }) => ok,
          deadline_ms * 1000,
        );
        return added === true ? done : failed("refused", "no learner can be added");
      },
    },
  };
}

const comeBack = "both machines lose power, and come back at different times";

/** Coming back, and going by plan. */
export const rejoinPlants: readonly Plant[] = [
  {
    name: "leave-without-read",
    sentence: "a planned leave asks its own etcd to remove it, and stops without a look at the peer's",
    pitfalls: [],
    stoppedBy:
      "the steps `move the leader to the peer`, `be removed through the peer`, `see the peer as the only voter`",
    checks: [...loss, ...outage],
    favours: ["an orderly shutdown, and the machine hangs when it is removed"],
    effects: throughItself,
  },
  {
    name: "two-leave",
    sentence: "where both leave at once, each removes itself through its own etcd: the other's may be gone",
    pitfalls: [7],
    stoppedBy: "R-LEAVE-BOTH, and the step `say that this machine leaves` before it is asked",
    checks: outage,
    favours: ["both are shut down at once, as by a failing supply, and come back"],
    tables: instead("leave", ["R-LEAVE-BOTH"], { decide: () => ({ do: "leave" }) }),
    effects: (effects, place) =>
      throughItself(effects, place, () => saidByPeer(place.node)?.leaving === true),
  },
  {
    name: "erase-before-seen",
    sentence: "a machine that comes back erases its data before it has seen its peer serve",
    pitfalls: [],
    stoppedBy: "R-BOTH-VOTERS, R-JOIN, the first look of a rejoin; data is moved aside, never erased",
    checks: ["both copies gone", "last copy"],
    favours: [comeBack],
    tables: instead("start", ["R-BOTH-VOTERS"], {
      decide: ({ etcd, firstStart }) =>
        etcd.running || firstStart ? { do: "start-plain" } : { do: "join-as-learner" },
    }),
    effects: eraseFirst,
  },
  {
    name: "only-voter-rejoins",
    sentence: "a machine that comes back joins as a learner, also where it holds the only voter's data",
    pitfalls: [8],
    stoppedBy: "R-PEER-UNFIT, R-VOTER",
    checks: outage,
    favours: ["one loses its power, the other too before the first is back"],
    tables: instead("start", ["R-PEER-UNFIT", "R-VOTER"], {
      decide: ({ firstStart }) => (firstStart ? { do: "ask", table: "takeover" } : { do: "join-as-learner" }),
    }),
  },
  {
    name: "join-flag-stale",
    sentence: "who may join is told by a flag that a takeover sets and the next joiner takes",
    pitfalls: [9],
    stoppedBy: "R-JOIN: who may be joined is read from the peer's etcd, at the moment of joining",
    checks: outage,
    favours: [
      "the machine is on standby for some time",
      "a power cut, and the wire breaks while the machine is a learner",
    ],
    effects: flagged,
  },
  {
    name: "ghost-stays",
    sentence: "a learner that an older etcd keeps through force-new-cluster is removed by nobody",
    pitfalls: [4],
    stoppedBy: "the step `remove the ghost …`, and the joiner, which takes its old entry away first",
    checks: outage,
    favours: ["a power cut, and the wire breaks while the machine is a learner"],
    effects: blindToLearners,
  },
];
