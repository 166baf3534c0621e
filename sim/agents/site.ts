import type { Published } from "../../src/act/effects.ts";
import type { Accepted, Facts } from "../../src/decide/facts.ts";
import type { Plant } from "../plants.ts";
import type { World } from "../world.ts";
import { Node } from "./node.ts";

/** What both machines share: how the site is set up, and what a run counts. */
export interface Site {
  readonly plant: Plant;
  /** Which machine should win a race; `leader`: whoever leads. */
  preferred: "node1" | "node2" | "leader";
  /** Rules by how often they took part in a decision. */
  readonly fired: Map<string, number>;
  /** What was published, by the text that stands in the attribute. */
  readonly published: Map<string, Published>;
  readonly nodes: Node[];
  /** Told of each step before it is done: checks, and the traps of faults. */
  readonly stepped: StepListener[];
  readonly traps: Set<StepListener>;
  witness: Facts["witness"];
  /** What somebody has written into a machine's site file since both were set up; undefined: nobody wrote anything. */
  readonly edited: ["on" | "off" | undefined, "on" | "off" | undefined];
  /** A second path to prove Off by. */
  hasPdu: boolean;
  /** This machine has no feed, or is broken, until somebody brings it back. */
  dark: number | undefined;
  /** An admin of a storm in which losses are accepted: says so on that machine, of a peer that is off. */
  acceptLoss: ((machine: number, accept: Accepted) => void) | undefined;
  /** No fault begins any more. */
  faultsOver: boolean;
  /** When each machine was last switched off by its BMC or outlet. */
  readonly fenced_us: [number, number];
  /** Until the pair was whole for the first time. */
  firstStart: boolean;
  /** So often, in a million, revisions can't be raised: no room, or a program that is too old. */
  raise_fails_ppm: number;
}

export type StepListener = (machine: number, step: string) => void;

const never_us = 1e12;

export const newSite = (plant: Plant, fired: Map<string, number>): Site => ({
  plant,
  preferred: "node1",
  fired,
  published: new Map(),
  nodes: [],
  stepped: [],
  traps: new Set(),
  witness: "on",
  edited: [undefined, undefined],
  hasPdu: true,
  dark: undefined,
  acceptLoss: undefined,
  faultsOver: false,
  fenced_us: [-never_us, -never_us],
  firstStart: true,
  raise_fails_ppm: 60_000,
});

/** The world is built before its agents know each other: they are made with the first question. */
export function nodeOf(world: World, site: Site, id: number): Node {
  if (site.nodes.length === 0) site.nodes.push(new Node(world, site, 0), new Node(world, site, 1));
  const node = site.nodes[id];
  if (node === undefined) throw new RangeError(`there is no machine ${id}`);
  return node;
}
