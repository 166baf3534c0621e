import {
  type AttributeEffects,
  type DiskEffects,
  done,
  type Effects,
  failed,
  type QuorumEffects,
  success,
} from "../../src/act/effects.ts";
import type { Life } from "../kernel/life.ts";
import { appendCommitRecord } from "../raft/data.ts";
import { bmcEffects } from "./bmc.ts";
import { factsAttribute, gatherFacts, logFacts, membershipOf, saidByPeer } from "./facts.ts";
import { memberEffects } from "./members.ts";
import type { Node } from "./node.ts";
import { unitEffects } from "./unit.ts";

/** All that duet can do, done to a simulated machine. What is awaited goes through the life: a crash drops it. */
export function effectsOf(node: Node, life: Life): Effects {
  return {
    facts: () => gatherFacts(node, life),
    decide: (question, facts) => node.decide(question, facts),
    disk: diskEffects(node, life),
    unit: unitEffects(node, life),
    members: memberEffects(node, life),
    attributes: attributeEffects(node, life),
    bmc: bmcEffects(node, life),
    quorum: quorumEffects(node, life),
    pause: (ms) => node.world.kernel.tasks.sleep(life, ms * 1000),
  };
}

function diskEffects(node: Node, life: Life): DiskEffects {
  const { world, id, state, site } = node;
  const { tasks } = world.kernel;
  const { disk } = world.machine(id);
  const unit = world.unit(id);
  return {
    readState: () => tasks.effect(life, 100, () => success(state.value)),
    writeState: async (value) => {
      const mark = await tasks.effect(life, 100, () => state.write(value));
      if (site.plant.stateNotSynced !== true)
        await tasks.effect(life, disk.sync_us(), () => state.sync(mark));
      return done;
    },
    inspect: () => tasks.effect(life, 20_000, () => success(logFacts(unit.folder.value))),
    moveAside: async () => {
      await tasks.effect(life, 5_000, () => unit.moveAside());
      await tasks.effect(life, disk.sync_us(), () => unit.folder.sync());
      return done;
    },
    keepWal: async () => {
      await tasks.sleep(life, 50_000);
      return done;
    },
    commitLog: async () => {
      if (site.plant.noCommitRecord === true) return done;
      const { value } = unit.folder;
      if (value === undefined) return failed("failed", "there is no log");
      const end = await tasks.effect(life, disk.sync_us(), () => appendCommitRecord(value));
      return end === "the log's tail is lost" ? failed("refused", end) : done;
    },
  };
}

function attributeEffects(node: Node, life: Life): AttributeEffects {
  const { world, id, site } = node;
  const { tasks } = world.kernel;
  return {
    publish: (said) =>
      tasks.effect(life, 2_000, () => {
        // Tied to the membership: in the next one it says nothing.
        const text = `${world.corosync.view(id).ring} ${world.kernel.fresh()}`;
        site.published.set(text, said);
        world.attributes.set(id, factsAttribute, text);
        return done;
      }),
    readPeer: () => tasks.effect(life, 2_000, () => success(saidByPeer(node))),
  };
}

function quorumEffects(node: Node, life: Life): QuorumEffects {
  const { world, id, peer, memory } = node;
  const { tasks } = world.kernel;
  const view = () => world.corosync.view(id);
  return {
    isPeerMember: () => tasks.effect(life, 1_000, () => success(view().members.includes(peer))),
    noteOff: () =>
      tasks.effect(life, 1_000, () => {
        if (view().members.includes(peer)) return failed("changed", "the peer is back");
        memory.remembered = { ...memory.remembered, provenIn: membershipOf(node).ring };
        return done;
      }),
    grant: () =>
      tasks.effect(life, 5_000, () => {
        world.corosync.cancelWaitForAll(id);
        return done;
      }),
    status: () => tasks.effect(life, 1_000, () => success(view().quorate)),
  };
}
