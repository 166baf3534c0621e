import type { Holding, Lineage, Offer } from "../facts.ts";
import { isFullVoter } from "../lineage.ts";
import {
  asleep,
  blank,
  type Disk,
  holdingOf,
  type Id,
  isUsable,
  linked,
  type Machine,
  names,
  other,
  sameLineage,
  serves,
  type World,
} from "./world.ts";

/** One thing that can happen next, and the world after it. */
export interface Move {
  readonly label: string;
  readonly world: World;
  /** What is wrong with doing it at all. */
  readonly wrong?: string;
}

export function withMachine(world: World, id: Id, machine: Machine): World {
  const machines =
    id === 0 ? ([machine, world.machines[1]] as const) : ([world.machines[0], machine] as const);
  return { ...world, machines };
}

export const withDisk = (world: World, id: Id, disk: Partial<Machine["disk"]>): World =>
  withMachine(world, id, { ...world.machines[id], disk: { ...world.machines[id].disk, ...disk } });

export const withLife = (world: World, id: Id, life: Partial<Machine["life"]>): World =>
  withMachine(world, id, { ...world.machines[id], life: { ...world.machines[id].life, ...life } });

export const powerOff = (world: World, id: Id): World =>
  withMachine(world, id, { ...world.machines[id], on: false, life: asleep });

export function withTag(world: World, bmc: Id, tag: Lineage | undefined): World {
  return { ...world, tags: bmc === 0 ? [tag, world.tags[1]] : [world.tags[0], tag] };
}

/**
 * After every move: while linked, each knows what the other holds, and no proof of Off outlives the sight of the peer. When
 * the link goes, the last knowledge stays.
 */
export function settleSight(world: World): World {
  // A choice is for the membership in which it was made.
  if (!linked(world)) return world.choice === undefined ? world : { ...world, choice: undefined };
  const [a, b] = world.machines;
  const seen = (machine: Machine, peer: Machine): Machine => ({
    ...machine,
    life: { ...machine.life, heard: holdingOf(peer), proof: "none" },
  });
  return { ...world, machines: [seen(a, b), seen(b, a)] };
}

const isLastingCopy = (disk: Disk): boolean => disk.complete && isUsable(disk);

/** From here on a choice that was made before is about what is no more. */
export const isOver = (world: World): World =>
  world.choice?.isOpen === true ? { ...world, choice: { ...world.choice, isOpen: false } } : world;

/** What only the other holds may be lost: either copy is right. */
export function paidByChoice(world: World): World {
  const { choice } = world;
  if (choice?.isOpen !== true) return world;
  const chosen = world.machines[choice.whose].disk.surrendered > 0;
  return withDisk(world, choice.whose, { complete: true, chosen });
}

/** A person who is shown both, where they differ or one gave its own up, takes one that could be served. */
function choices(world: World): readonly Move[] {
  const { left, machines } = world;
  if (left.choose === 0 || !linked(world)) return [];
  const [a, b] = [holdingOf(machines[0]), holdingOf(machines[1])];
  const isSame = sameLineage(a.lineage, b.lineage) && (a.surrendered ?? b.surrendered) === undefined;
  if (isSame) return [];
  const offer = ({ lineage, surrendered }: Holding): Offer => ({ lineage, surrendered });
  return ([0, 1] as const)
    .filter((id) => isFullVoter(id === 0 ? a : b))
    .map((id) => {
      const choice = {
        whose: id,
        shown: [offer(a), offer(b)],
        tags: world.tags,
        isOpen: true,
      } as const;
      const chosen: World = { ...world, left: { ...left, choose: left.choose - 1 }, choice };
      const isGiven = machines[other(id)].disk.surrendered > 0;
      return {
        label: `an admin chooses the data of ${names[id]}`,
        world: isGiven ? paidByChoice(chosen) : chosen,
      };
    });
}

/** What nobody decides: power, wires, BMCs, disks; and people. */
export function chances(world: World): readonly Move[] {
  const { left } = world;
  const moves: Move[] = [
    { label: world.wire ? "the wire is cut" : "the wire is mended", world: { ...world, wire: !world.wire } },
    ...choices(world),
  ];
  for (const id of [0, 1] as const) {
    const { on, disk } = world.machines[id];
    const name = names[id];
    moves.push(
      on
        ? { label: `${name} loses its power`, world: powerOff(world, id) }
        : { label: `${name} boots`, world: withMachine(world, id, { on: true, disk, life: asleep }) },
    );
    if (left.forget > 0 && world.tags[id] !== undefined)
      moves.push({
        label: `the BMC of ${name} forgets its tag`,
        world: { ...withTag(world, id, undefined), left: { ...left, forget: left.forget - 1 } },
      });
    // Under a machine that is up, too: a choice would outlive it.
    if (left.disk > 0 && on && world.choice !== undefined && isLastingCopy(world.machines[other(id)].disk))
      moves.push({
        label: `the data of ${name} is wiped`,
        world: withMachine(isOver({ ...world, left: { ...left, disk: left.disk - 1 } }), id, {
          on,
          disk: blank,
          life: { ...asleep, heard: world.machines[id].life.heard },
        }),
      });
    // With the last whole copy gone no rule could help.
    if (left.disk > 0 && !on && disk.log !== "none" && isLastingCopy(world.machines[other(id)].disk)) {
      const poorer = { ...world, left: { ...left, disk: left.disk - 1 } };
      moves.push(
        { label: `${name} gets a new disk`, world: withDisk(poorer, id, blank) },
        {
          label: `the log of ${name} is corrupted`,
          world: withDisk(poorer, id, { log: "corrupt", complete: false }),
        },
      );
    }
  }
  return moves;
}

/** What etcd does by itself: writes of clients, promotion, and the changes of membership as the logs and the leader see them. */
export function etcdMoves(world: World): readonly Move[] {
  const moves: Move[] = [];
  for (const id of [0, 1] as const) {
    const me = world.machines[id];
    const peer = world.machines[other(id)];
    const [name, peerName] = [names[id], names[other(id)]];
    if (!me.on) continue;
    if (me.life.etcd === "sole") {
      if (peer.disk.complete)
        moves.push({
          label: `${name} acknowledges a write alone`,
          world: withDisk(world, other(id), { complete: false }),
        });
      if (me.disk.log === "pair")
        moves.push({ label: `${name} applies the promotion`, world: withLife(world, id, { etcd: "pair" }) });
      if (me.disk.log === "sole" && follows(world, id) && me.disk.takeover?.step !== "served")
        moves.push({
          label: `${name} appends the promotion of ${peerName}`,
          world: withDisk(world, id, { log: "pair" }),
        });
    }
    if (me.life.etcd === "learner" && peer.disk.log === "pair" && follows(world, other(id)))
      moves.push({
        label: `${name} reads of its promotion`,
        world: withLife(withDisk(world, id, { log: "pair" }), id, { etcd: "pair" }),
      });
    if (id === 0 && me.life.etcd === "pair" && serves(world, 0) && serves(world, 1))
      moves.push(...together(world));
    if (
      me.life.etcd === "pair" &&
      peer.disk.log === "removed" &&
      me.disk.log === "pair" &&
      sameLineage(me.disk.lineage, peer.disk.lineage)
    )
      moves.push({
        label: `${name} commits and applies the removal of ${peerName}`,
        // The peer's answer to the removal shows that both logs are the same up to it.
        world: withLife(
          withDisk(withLife(world, other(id), { etcd: "down" }), id, {
            log: "sole",
            complete: me.disk.complete || peer.disk.complete,
          }),
          id,
          { etcd: "sole" },
        ),
      });
  }
  return moves;
}

/** Is the peer a learner of this machine's cluster, connected and running? */
function follows(world: World, id: Id): boolean {
  const peer = world.machines[other(id)];
  return (
    linked(world) &&
    peer.life.etcd === "learner" &&
    sameLineage(world.machines[id].disk.lineage, peer.disk.lineage)
  );
}

/** Two voters: each write is on both before it is acknowledged, and with it all before it. The marker is such a write. */
function together(world: World): readonly Move[] {
  const [a, b] = world.machines;
  const whole = a.disk.complete || b.disk.complete;
  const acked = withDisk(withDisk(world, 0, { complete: whole }), 1, { complete: whole });
  const moves: Move[] = [{ label: "a write is acknowledged by both", world: acked }];
  for (const id of [0, 1] as const)
    if (!world.machines[id].disk.full && !world.machines[id].life.leaving)
      moves.push({
        label: `${names[id]} is full after its marker`,
        world: withDisk(acked, id, { full: true }),
      });
  return moves;
}
