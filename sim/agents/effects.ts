import {
  type AttributeEffects,
  type DiskEffects,
  done,
  type Effects,
  failed,
  type QuorumEffects,
  success,
} from "../../src/act/effects.ts";
import { rememberOff } from "../../src/act/picture.ts";
import { notingOn } from "../../src/act/power-on.ts";
import { corosyncTimes } from "../corosync.ts";
import type { Life } from "../kernel/life.ts";
import { scoreAttribute } from "../pacemaker/controller.ts";
import { appendCommitRecord } from "../raft/data.ts";
import { walFacts } from "../raft/standing.ts";
import { bmcEffects } from "./bmc.ts";
import { bumpEffects, finishSwap } from "./bump.ts";
import {
  factsAttribute,
  gatherFacts,
  logFacts,
  membershipOf,
  ownFacts,
  read_us,
  saidBy,
  saidByPeer,
} from "./facts.ts";
import { memberEffects } from "./members.ts";
import type { Node } from "./node.ts";
import { noState, tornState } from "./state.ts";
import { readOnly, unitEffects } from "./unit.ts";
import { agreed, saysOf } from "./witness.ts";

/** A loss that is seen so soon after a hang is one that the hang made. */
const late_us = 15_000_000;
const detection_us = corosyncTimes.token_us + corosyncTimes.consensus_us;

/** All that duet can do, done to a simulated machine. What is awaited goes through the life: a crash drops it. */
export function effectsOf(node: Node, life: Life): Effects {
  const effects: Effects = {
    site: { me: node.name, witness: saysOf(node) },
    areTagsWritten: () => node.world.kernel.tasks.look(life, () => agreed(node) !== "off"),
    boot: String(node.world.machine(node.id).boot),
    facts: () => gatherFacts(node, life),
    own: () => ownFacts(node, life),
    decide: (question, facts) => node.decide(question, facts),
    disk: diskEffects(node, life),
    unit: unitEffects(node, life),
    members: memberEffects(node, life),
    attributes: attributeEffects(node, life),
    bmc: notingOn(bmcEffects(node, life), node.owedOn),
    quorum: quorumEffects(node, life),
    pause: (ms) => node.world.kernel.tasks.sleep(life, ms * 1000),
  };
  return node.site.plant.effects?.(effects, { node, life }) ?? effects;
}

function diskEffects(node: Node, life: Life): DiskEffects {
  const { world, id, state } = node;
  const { tasks } = world.kernel;
  const { disk } = world.machine(id);
  const unit = world.unit(id);
  const writeState: DiskEffects["writeState"] = async (value) => {
    if (disk.readOnly) return await tasks.look(life, () => readOnly);
    const mark = await tasks.effect(life, 100, () => state.write(value));
    await tasks.effect(life, disk.sync_us(), () => state.sync(mark));
    return done;
  };
  return {
    readState: () =>
      tasks.look(life, () =>
        state.value === tornState ? failed("failed", "duet's own file is torn") : success(state.value),
      ),
    setStateAside: () => writeState(noState),
    writeState,
    logEnd: () =>
      tasks.look(life, () => {
        const value = unit.data;
        if (value === undefined || unit.running !== undefined || value.wal.records.length === 0)
          return success(undefined);
        const { last_term, last_index } = walFacts(value);
        return success({ term: last_term, index: last_index });
      }),
    isNew: () => tasks.look(life, () => success(node.site.firstStart)),
    inspect: () => tasks.effect(life, read_us, () => success(logFacts(unit.data))),
    moveAside: async () => {
      if (disk.readOnly) return await tasks.look(life, () => readOnly);
      await finishSwap(node, life);
      await tasks.effect(life, 5_000, () => unit.moveAside());
      await tasks.effect(life, disk.sync_us(), () => unit.folder.sync());
      return done;
    },
    ...bumpEffects(node, life),
    syncLog: async () => {
      if (disk.readOnly) {
        // As a start that failed: etcd could not write either.
        node.noteStart(false);
        return await tasks.look(life, () => readOnly);
      }
      await tasks.effect(life, disk.sync_us(), () => unit.folder.value?.wal.flushAndSync());
      return done;
    },
    keepWal: async () => {
      await tasks.sleep(life, 50_000);
      return done;
    },
    commitLog: async () => {
      const { value } = unit.folder;
      if (value === undefined) return failed("failed", "there is no log");
      if (disk.readOnly) return await tasks.look(life, () => readOnly);
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
    readPeer: () => tasks.look(life, () => success(saidByPeer(node))),
    readOwn: () => tasks.look(life, () => success(saidBy(node, id))),
    score: (score) => {
      const text = score === undefined ? undefined : String(score);
      // Said again it changes nothing, whenever that comes.
      if (world.attributes.get(id, id, scoreAttribute) === text) return tasks.look(life, () => done);
      return tasks.effect(life, 2_000, () => {
        world.attributes.set(id, scoreAttribute, text);
        return done;
      });
    },
  };
}

function quorumEffects(node: Node, life: Life): QuorumEffects {
  const { world, id, peer, memory } = node;
  const { tasks } = world.kernel;
  const view = () => world.corosync.view(id);
  return {
    loss: () =>
      tasks.effect(life, 1_000, () => {
        if (view().members.includes(peer)) return success(undefined);
        return success({
          ring: membershipOf(node).ring,
          since_ms: (world.kernel.now_us - lostAt_us(node)) / 1000,
          wentOff: memory.remembered.wentOff && memory.remembered.provenIn === membershipOf(node).ring,
          proven: memory.remembered.provenIn === membershipOf(node).ring,
          doubted: memory.remembered.doubtedIn === membershipOf(node).ring,
        });
      }),
    noteOff: (ring, wentOff) =>
      tasks.effect(life, 1_000, () => {
        const membership = membershipOf(node);
        if (membership.peer || membership.ring !== ring)
          return failed("changed", "Off was read for another membership");
        memory.remembered = rememberOff(memory.remembered, ring, wentOff);
        return done;
      }),
    noteDoubt: (ring) =>
      tasks.effect(life, 1_000, () => {
        if (membershipOf(node).ring !== ring)
          return failed("changed", "what is doubted was shown in another membership");
        memory.remembered = { ...memory.remembered, doubtedIn: ring };
        return done;
      }),
    grant: () =>
      tasks.effect(life, 5_000, () => {
        world.corosync.cancelWaitForAll(id);
        return done;
      }),
    // A Corosync that has ended tells nothing.
    status: () =>
      tasks.look(life, () =>
        view().members.length === 0
          ? failed("unreachable", "Corosync does not answer")
          : success(view().quorate),
      ),
  };
}

/** A machine that hung sees late what its peer saw when it fell silent. Corosync keeps when it was not scheduled, and how long. */
function lostAt_us({ memory: { ring_us, hung_us, resumed_us } }: Node): number {
  const late = ring_us >= resumed_us && ring_us < resumed_us + late_us;
  return late ? Math.min(ring_us, hung_us + detection_us) : ring_us;
}
