import type { Tables } from "../rules.ts";
import { tables as allTables } from "../rules.ts";
import { chances, etcdMoves, type Move, settleSight } from "./chance.ts";
import { type Bounds, type Both, deeds, toldOf } from "./deeds.ts";
import { type Budget, firstWorld, keyOf, serves, type World } from "./world.ts";

export interface Stuck {
  readonly worlds: number;
  /** Worlds from which neither 1+1 nor a person's help can be reached once the faults stop. */
  readonly stuck: readonly World[];
}

/**
 * From every world that can come about: once nothing breaks any more, power and wire are back, is there a way to two full
 * voters, or does some machine ask for a person? Where the search's bound on epochs ends a takeover, that counts as a way.
 */
export function findStuck(
  { left, ...bounds }: Bounds & { readonly left: Budget },
  tables: Tables = allTables,
): Stuck {
  const worlds: World[] = [];
  const at = new Map<string, number>();
  /** Of each world those from which it is reached by nothing but good. */
  const before: number[][] = [];
  const place = (world: World): number => {
    const settled = settleSight(world);
    const key = keyOf(settled);
    const known = at.get(key);
    if (known !== undefined) return known;
    at.set(key, worlds.length);
    before.push([]);
    return worlds.push(settled) - 1;
  };
  const ends: number[] = [];
  place(firstWorld(left));
  for (let i = 0; i < worlds.length; i++) {
    const world = worlds[i];
    if (world === undefined) break;
    const told: Both = [toldOf(world, 0, tables), toldOf(world, 1, tables)];
    if (isEnd(world, told, bounds)) ends.push(i);
    for (const move of chances(world)) {
      const next = place(move.world);
      if (isMend(move)) before[next]?.push(i);
    }
    for (const move of [...etcdMoves(world), ...deeds(world, told, tables, bounds)])
      before[place(move.world)]?.push(i);
  }
  const reached = new Set(ends);
  for (const end of reached) for (const i of before[end] ?? []) reached.add(i);
  return { worlds: worlds.length, stuck: worlds.filter((_, i) => !reached.has(i)) };
}

const isMend = ({ label }: Move): boolean => label.endsWith(" boots") || label === "the wire is mended";

function isEnd(world: World, told: Both, { epoch_max }: Bounds): boolean {
  const [a, b] = world.machines;
  if (a.life.etcd === "pair" && serves(world, 0) && serves(world, 1) && a.disk.full && b.disk.full)
    return true;
  return told.flat().some(({ verdict: { decision }, reading }) => {
    if (decision.do === "take-over") return decision.epoch > epoch_max;
    // Only with BMCs that all answer is a call for help a true one.
    return decision.do === "needs-human" && reading.mine && reading.theirs && reading.power;
  });
}
