/** What is lost, how, and with which BMC; and what the aims are held against. */

export const bmcs = {
  fast: { off_ms: 1_000, on_ms: 5_000 },
  slow: { off_ms: 6_000, on_ms: 46_000 },
} as const;
export type BmcName = keyof typeof bmcs;

export type Lost = "leader" | "follower" | "wire";

export interface LossCase {
  readonly name: string;
  readonly lost: Lost;
  readonly way: "cut" | "hang" | "wire";
  /** Whose turn it is first in the race to fence: the preferred machine's. Who survives as the second waits for the first's turn to end. */
  readonly survivor: "first" | "second";
  /** Also in the short run. */
  readonly quick: boolean;
}

/** A machine that was cut off from its power reads Off, and nobody waits for its turn. */
export const losses: readonly LossCase[] = [
  { name: "leader, cut", lost: "leader", way: "cut", survivor: "second", quick: true },
  { name: "follower, cut", lost: "follower", way: "cut", survivor: "first", quick: true },
  { name: "leader, hang, survivor first", lost: "leader", way: "hang", survivor: "first", quick: false },
  { name: "leader, hang, survivor second", lost: "leader", way: "hang", survivor: "second", quick: true },
  { name: "follower, hang, survivor first", lost: "follower", way: "hang", survivor: "first", quick: true },
  {
    name: "follower, hang, survivor second",
    lost: "follower",
    way: "hang",
    survivor: "second",
    quick: false,
  },
  { name: "wire cut", lost: "wire", way: "wire", survivor: "first", quick: true },
];

export const stops = ["leader", "follower"] as const;
export type Stopped = (typeof stops)[number];

/**
 * How long a survivor with this turn has to wait before it may command Off: nobody waits for a machine that reads Off, and of two that
 * are cut off from each other the first one commands at once. Undefined: it is not known.
 */
export function delay_ms(
  { way }: Pick<LossCase, "way">,
  turn: number | undefined,
  turn_ms: number | undefined,
): number | undefined {
  if (way !== "hang" || turn === 0) return 0;
  return turn === undefined || turn_ms === undefined ? undefined : turn * turn_ms;
}

/** What may be added to detection, the delay and Off. */
export const takeover_aim_ms = 2_000;
/** The longest gap of a planned stop. */
export const stop_aim_ms = 500;
/** Of the rival's time. */
export const rival_aim = 0.25;

export interface Rival {
  readonly mean_ms: number;
  readonly worst_ms: number;
  readonly runs: number;
}

/**
 * The longest time without an acknowledged write of resource-agents' podman-etcd 4.18.0, which also runs etcd on two machines:
 * measured in our lab, one rival's step each, with the default token and the same BMC times. Its lost machines hung: the BMC read On.
 * Not measured: what is not here.
 */
export const rivals: Readonly<Record<BmcName, Partial<Record<Lost, Rival>>>> = {
  fast: {
    leader: { mean_ms: 32_700, worst_ms: 40_600, runs: 8 },
    follower: { mean_ms: 28_400, worst_ms: 35_100, runs: 4 },
    wire: { mean_ms: 46_600, worst_ms: 104_100, runs: 6 },
  },
  slow: { leader: { mean_ms: 73_600, worst_ms: 83_700, runs: 4 } },
};

/** The same of a planned standby of the leader. */
export const rivalStops: Partial<Record<Stopped, Rival>> = {
  leader: { mean_ms: 2_000, worst_ms: 2_000, runs: 2 },
};
