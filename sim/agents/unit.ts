import {
  done,
  failed,
  type Outcome,
  type StartKind,
  success,
  type UnitEffects,
} from "../../src/act/effects.ts";
import type { Life } from "../kernel/life.ts";
import type { StartKind as EtcdStart } from "../raft/start.ts";
import type { Node } from "./node.ts";

/** What a disk says that turned read-only. */
export const readOnly = failed("failed", "read-only file system");
const look_us = 100_000;
const ended_us = 20_000;

export function unitEffects(node: Node, life: Life): UnitEffects {
  const { world, id, memory } = node;
  const { tasks } = world.kernel;
  const unit = world.unit(id);
  const isEnded = (): Outcome => {
    if (!unit.active) memory.held = false;
    return unit.active ? failed("deadline", "etcd can't be ended: its process stays") : done;
  };
  return {
    isRunning: () => tasks.look(life, () => success(unit.open !== undefined)),
    start: (how, deadline_ms) => start(node, life, how, deadline_ms),
    stop: async (deadline_ms) => {
      await tasks.answer<undefined>(life, (ended) => {
        let open = true;
        const end = () => {
          if (open) ended(undefined);
          open = false;
        };
        world.kernel.after(deadline_ms * 1000, () =>
          life.whenAwake(() => {
            if (open) unit.kill();
            end();
          }),
        );
        unit.stop(end);
      });
      if (unit.active) node.noteStart(false);
      return isEnded();
    },
    end: () =>
      tasks.effect(life, ended_us, () => {
        unit.kill();
        return isEnded();
      }),
    setForceFlag: () =>
      tasks.effect(life, 1_000, () => {
        memory.force = true;
        return done;
      }),
    dropForceFlag: () =>
      tasks.effect(life, 1_000, () => {
        memory.force = false;
        return done;
      }),
    callForFence: (because) =>
      tasks.effect(life, 1_000, () => {
        memory[because] = true;
        return done;
      }),
    setMasked: (masked) =>
      tasks.effect(life, 1_000, () => {
        // There is no file to take away then.
        if (!masked && !unit.masked) return done;
        if (unit.machine.disk.readOnly) return readOnly;
        unit.mask(masked);
        return done;
      }),
  };
}

async function start(node: Node, life: Life, how: StartKind, deadline_ms: number): Promise<Outcome> {
  const { world, id } = node;
  const { tasks } = world.kernel;
  const unit = world.unit(id);
  // One that is on its way up is waited for: a start may be repeated.
  for (let waited_us = 0; unit.active && unit.running === undefined; waited_us += look_us) {
    if (waited_us > deadline_ms * 1000) return failed("deadline", "etcd does not come up");
    await tasks.sleep(life, look_us);
  }
  if (unit.running !== undefined)
    return (how === "closed") === (unit.closed !== undefined)
      ? done
      : failed("deadline", "the one that runs listens elsewhere");
  // Refused as by the real one: it says nothing about the data, and does not count.
  if (unit.masked) return failed("refused", "the unit is masked");
  const kind = await kindOf(node, life, how, deadline_ms);
  if (kind === undefined) return failed("unreachable", "the peer does not list this machine as a member");
  const why = await tasks.answer<string | undefined>(life, (ended) => {
    // Killed on its way up it never says so.
    let open = true;
    const end = (said: string | undefined) => {
      if (open) ended(said);
      open = false;
    };
    world.kernel.after(deadline_ms * 1000, () => end("etcd does not come up"));
    unit.start(kind, end, how === "closed");
  });
  node.noteStart(why === undefined);
  if (why !== undefined) return failed("failed", why);
  if (node.memory.stopFailed) cleanUp(node);
  return done;
}

/** What could not be stopped has ended since: Pacemaker may forget it. */
export function cleanUp({ world, id, memory }: Node): void {
  memory.stopFailed = false;
  for (const member of world.corosync.view(id).members) world.pacemaker.controller(member)?.cleanUp(id);
}

async function kindOf(
  node: Node,
  life: Life,
  how: StartKind,
  deadline_ms: number,
): Promise<EtcdStart | undefined> {
  const { world, id, peer, memory } = node;
  const { folder } = world.unit(id);
  const hasLog = folder.value !== undefined && folder.value.wal.records.length > 0;
  if (how === "with its data" || how === "closed" || hasLog)
    return memory.force ? { kind: "force new cluster" } : { kind: "restart" };
  if (how === "first") {
    const member = folder.value?.member ?? world.freshMemberId();
    await makeFolder(node, life, member, 7);
    return { kind: "new", members: { [member]: id } };
  }
  const seen = await world.askEtcd(
    life,
    id,
    peer,
    (requests, reply) => requests.read(reply),
    ({ applier, data }, answer) =>
      answer.ok ? { membership: applier.membership, cluster: data.cluster } : undefined,
    deadline_ms * 1000,
  );
  if (seen === undefined) return undefined;
  const { voters, learners, machines } = seen.membership;
  const mine = [...voters, ...learners].find((member) => machines[member] === id);
  if (mine === undefined) return undefined;
  await makeFolder(node, life, mine, seen.cluster);
  return { kind: "join", members: machines };
}

async function makeFolder({ world, id }: Node, life: Life, member: number, cluster: number): Promise<void> {
  const unit = world.unit(id);
  const { tasks } = world.kernel;
  if (unit.folder.value?.member === member) return;
  await tasks.effect(life, 1_000, () => unit.create(member, cluster));
  await tasks.effect(life, world.machine(id).disk.sync_us(), () => unit.folder.sync());
}
