import { type Tables, tables as allTables } from "../rules.ts";
import { chances, etcdMoves, type Move, settleSight } from "./chance.ts";
import { type Bounds, type Both, deeds, toldOf } from "./deeds.ts";
import { violation } from "./invariants.ts";
import { type Budget, firstWorld, keyOf, type World } from "./world.ts";

export interface Found {
  readonly what: string;
  /** From the first start to the violation, the shortest way. */
  readonly story: readonly string[];
}

export interface Outcome {
  readonly worlds: number;
  readonly moves: number;
  readonly found: Found | undefined;
  /** Which rules spoke, how often. */
  readonly rules: ReadonlyMap<string, number>;
  /** False where the search was given up before it had seen everything. */
  readonly whole: boolean;
}

export interface Search extends Bounds {
  readonly left: Budget;
  readonly tables?: Tables;
  readonly worlds_max?: number;
}

/** Every world that can come about, each once, the nearest first. */
export function search({ left, tables = allTables, worlds_max = 2_000_000, ...bounds }: Search): Outcome {
  const rules = new Map<string, number>();
  const worlds: World[] = [];
  const from: { readonly parent: number; readonly label: string }[] = [];
  const seen = new Set<string>();
  const add = (world: World, parent: number, label: string): void => {
    const settled = settleSight(world);
    const key = keyOf(settled);
    if (seen.has(key)) return;
    seen.add(key);
    worlds.push(settled);
    from.push({ parent, label });
  };
  const story = (at: number): readonly string[] => {
    const lines: string[] = [];
    for (let i = at; i > 0; i = from[i]?.parent ?? 0) lines.unshift(from[i]?.label ?? "");
    return lines;
  };
  let moves = 0;
  add(firstWorld(left), 0, "");
  for (let at = 0; at < worlds.length; at++) {
    const world = worlds[at];
    if (world === undefined) break;
    const told = [toldOf(world, 0, tables), toldOf(world, 1, tables)] as const;
    for (const each of told.flat())
      for (const { id } of each.verdict.rules) rules.set(id, (rules.get(id) ?? 0) + 1);
    const what = violation(world, told);
    const outcome = (found: Found | undefined, whole: boolean) => ({
      worlds: worlds.length,
      moves,
      found,
      rules,
      whole,
    });
    if (what !== undefined) return outcome({ what, story: story(at) }, false);
    if (worlds.length > worlds_max) return outcome(undefined, false);
    for (const { label, world: next, wrong } of movesOf(world, told, tables, bounds)) {
      moves++;
      if (wrong !== undefined) return outcome({ what: wrong, story: [...story(at), label] }, false);
      add(next, at, label);
    }
  }
  return { worlds: worlds.length, moves, found: undefined, rules, whole: true };
}

const movesOf = (world: World, told: Both, tables: Tables, bounds: Bounds): readonly Move[] => [
  ...chances(world),
  ...etcdMoves(world),
  ...deeds(world, told, tables, bounds),
];
