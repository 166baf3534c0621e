import {
  done,
  type Door,
  failed,
  type Member,
  type MemberEffects,
  type Outcome,
  success,
} from "../../src/act/effects.ts";
import type { Life } from "../kernel/life.ts";
import type { Member as Etcd } from "../raft/member.ts";
import type { Answer, Reply, Requests } from "../raft/requests.ts";
import type { Node } from "./node.ts";

export function memberEffects(node: Node, life: Life): MemberEffects {
  const { world, id, peer } = node;
  const list = (at: Door | "peer", deadline_ms: number) =>
    ask(node, life, at, deadline_ms, (requests, reply) => requests.read(reply), membersSeenBy(id));
  return {
    list,
    addLearner: async (deadline_ms) => {
      const seen = await list("peer", deadline_ms);
      if (!seen.ok) return seen;
      for (const { id: old } of seen.value.filter(({ machine }) => machine === "self")) {
        const gone = await order(node, life, "peer", deadline_ms, (requests, reply) =>
          requests.remove(Number(old), reply),
        );
        if (!gone.ok) return gone;
      }
      const fresh = world.freshMemberId();
      return await order(node, life, "peer", deadline_ms, (requests, reply) =>
        requests.addLearner(fresh, id, reply),
      );
    },
    // A change that is proposed twice is void the second time and answered with an error, but a step may be repeated: look first.
    promote: async (deadline_ms) => {
      const mine = world.unit(id).folder.value?.member ?? 0;
      const seen = await list("peer", deadline_ms);
      if (!seen.ok) return seen;
      if (seen.value.some((member) => member.id === String(mine) && member.role === "voter")) return done;
      return await order(node, life, "peer", deadline_ms, (requests, reply) => requests.promote(mine, reply));
    },
    remove: async (member, through, deadline_ms) => {
      const seen = await list(through, deadline_ms);
      if (!seen.ok) return seen;
      if (seen.value.every((each) => each.id !== member)) return done;
      return await order(node, life, through, deadline_ms, (requests, reply) =>
        requests.remove(Number(member), reply),
      );
    },
    elect: (at) =>
      world.kernel.tasks.effect(life, 1_000, () => {
        const unit = world.unit(id);
        const member = at === "inside" ? unit.closed : unit.open;
        member?.elect();
        return member === undefined ? failed("unreachable", "etcd's port is closed") : done;
      }),
    moveLeader: async (deadline_ms) => {
      const { running } = world.unit(id);
      const heir = running?.applier.membership.voters.find(
        (voter) => running.applier.membership.machines[voter] === peer,
      );
      if (running === undefined || heir === undefined) return failed("refused", "there is nobody to lead");
      if (running.raft.lead === heir) return done;
      return await order(node, life, "self", deadline_ms, (requests, reply) =>
        requests.moveLeader(heir, reply),
      );
    },
    writeMarker: (deadline_ms) => {
      // A write like any, which stays open for the history: nobody relies on it but this machine.
      const { id: marker, key } = world.history.begin("write", 0);
      return order(node, life, "self", deadline_ms, (requests, reply) => requests.put(key, marker, reply));
    },
  };
}

const membersSeenBy =
  (machine: number) =>
  ({ applier, raft }: Etcd): readonly Member[] => {
    const { voters, learners, machines } = applier.membership;
    const of = (role: Member["role"]) => (id: number) =>
      ({
        id: String(id),
        role,
        machine: machines[id] === undefined ? undefined : machines[id] === machine ? "self" : "peer",
        leader: raft.lead === id,
      }) as const;
    return [...voters.map(of("voter")), ...learners.map(of("learner"))];
  };

type Ask = (requests: Requests, reply: Reply) => void;

const order = (
  node: Node,
  life: Life,
  at: Door | "peer",
  deadline_ms: number,
  asking: Ask,
): Promise<Outcome> => ask(node, life, at, deadline_ms, asking, () => undefined);

async function ask<T>(
  { world, id, peer }: Node,
  life: Life,
  at: Door | "peer",
  deadline_ms: number,
  asking: Ask,
  look: (member: Etcd) => T,
): Promise<Outcome<T>> {
  const to = at === "peer" ? peer : id;
  const reachable = at !== "peer" || world.links[0].joined(id, peer);
  const unit = world.unit(to);
  if (reachable && (at === "inside" ? unit.closed : unit.open) === undefined) {
    await world.kernel.tasks.sleep(life, 1_000);
    return failed("unreachable", "etcd's port is closed");
  }
  const outcome = await world.askEtcd<Outcome<T>>(
    life,
    id,
    to,
    asking,
    (member, answer) => outcomeOf(answer, () => look(member)),
    deadline_ms * 1000,
  );
  return outcome ?? failed("deadline", "etcd did not answer");
}

const outcomeOf = <T>(answer: Answer, look: () => T): Outcome<T> =>
  answer.ok ? success(look()) : failed(answer.sure ? "refused" : "deadline", answer.why);
